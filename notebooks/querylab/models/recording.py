"""A recording as text: what a model replied to each request, one reply a line, readable in a diff.

Comes in: ``corpus/recordings/NAME.jsonl``. Goes out: a :class:`RecordedClient` that answers like any other client,
or says that it holds no reply. A recording belongs to no model's name: the key of a request is a digest of what
the model was shown (system prompt, messages, tools, schema), so whoever replays it need not set ``LAB_MODEL``.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from querylab import prompts, settings
from querylab.models import facts, requests
from querylab.models.reply import CallFailed
from querylab.text import count_tokens, whole

FOLDER = "recordings"
"""Beside a corpus's documents: the recordings made on its questions."""

SHOWN = ("system", "messages", "tools", "tool_choice", "output_config", "max_tokens")
"""What of a request the model is shown, or bound by."""


class NoRecording(settings.SettingError):
    """A recording that is not there or cannot be read; the message says where and what to do."""


class Unrecorded(CallFailed):
    """A request that this recording holds no reply to. Never invented: the step falls back, and it is counted."""


@dataclass(frozen=True)
class Reply:
    """One recorded reply.

    Attributes:
        key: digest of the request, see :func:`key`.
        task: the prompt's task.
        about: what was asked, shortened: for readers of the file only.
        text: what the model wrote; empty when it only called a tool.
        tool_use: inputs of the tool calls it made, in order.
        stop_reason: as the API gives it.
        family: the model's family, as whoever recorded it says.
        date: ISO 8601, day.
        usage: input and output tokens as the API counted them; None where nobody counted, and then they are estimated.
        seconds: how long the call took; None where it was not measured.
    """

    key: str
    task: str
    about: str
    text: str
    tool_use: tuple[Mapping[str, Any], ...] = ()
    stop_reason: str = "end_turn"
    family: str = ""
    date: str = ""
    usage: tuple[int, int] | None = None
    seconds: float | None = None

    @property
    def output_tokens(self) -> int:
        """Tokens of the reply: as the API counted them, else by the lab's estimate."""
        if self.usage:
            return self.usage[1]
        inputs = (json.dumps(given, ensure_ascii=False) for given in self.tool_use)
        return max(1, count_tokens(self.text) + sum(map(count_tokens, inputs)))


def key(request: Mapping[str, Any]) -> str:
    """Name a request: 20 hexadecimal digits over what the model is shown, whoever the model is.

    Ids of tool calls are numbered anew, because every API and every replay writes its own.
    """
    shown = {name: request[name] for name in SHOWN if request.get(name) is not None}
    form = json.dumps(_plain(shown), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    for number, name in enumerate(_tool_ids(shown)):
        form = form.replace(json.dumps(name, ensure_ascii=False), f'"tool-{number}"')
    return hashlib.sha256(f"{prompts.VERSION}\n{form}".encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _plain(value: Any) -> Any:
    """Plain data, the SDK's own objects included."""
    if hasattr(value, "model_dump"):
        return _plain(value.model_dump(exclude_none=True))
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items() if item is not None}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _tool_ids(shown: Mapping[str, Any]) -> list[str]:
    found: dict[str, None] = {}
    for message in _plain(shown.get("messages") or []):
        content = message.get("content")
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "tool_use":
                found[block["id"]] = None
    return list(found)


# ── The file ────────────────────────────────────────────────────────────────────────────────────
def path_of(name: str, corpus: Path = settings.CORPUS_DIR) -> Path:
    """Where a corpus's recording of a name stands.

    Raises:
        NoRecording: for a name that is no plain file name.
    """
    if not name or Path(name).name != name:
        raise NoRecording(f"A recording is called by a plain name, such as a; found {name!r}.")
    return corpus / FOLDER / f"{name}.jsonl"


def names(corpus: Path = settings.CORPUS_DIR) -> list[str]:
    """List the recordings that a corpus has, by name."""
    return sorted(path.stem for path in (corpus / FOLDER).glob("*.jsonl"))


def load(path: Path) -> dict[str, Reply]:
    """Read a recording.

    Args:
        path: a text recording.

    Returns:
        Key → reply.

    Raises:
        NoRecording: when it is missing, or a line is no reply; names file and line.
    """
    if not path.is_file():
        raise NoRecording(f"There is no recording at {path}. Which there are: {', '.join(_beside(path)) or 'none'}.")
    found: dict[str, Reply] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
            usage = values.get("usage")
            lists = {"tool_use": tuple(values.get("tool_use") or ()), "usage": tuple(usage) if usage else None}
            reply = Reply(**values | lists)
        except (ValueError, TypeError, AttributeError) as error:
            raise NoRecording(f"{path}, line {number}: not a recorded reply ({error}).") from None
        if reply.key in found and found[reply.key] != reply:
            raise NoRecording(f"{path}, line {number}: {reply.key} stands twice with different replies.")
        found[reply.key] = reply
    return found


def _beside(path: Path) -> Iterator[str]:
    return (other.stem for other in sorted(path.parent.glob("*.jsonl")))


def write(path: Path, replies: Iterable[Reply]) -> None:
    """Write a recording: sorted by task, what was asked, and key; one reply a line; what says nothing is left out."""
    ordered = sorted(replies, key=lambda reply: (reply.task, reply.about, reply.key))
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".tmp")
    beside.write_text("".join(f"{_line(reply)}\n" for reply in ordered), encoding="utf-8", newline="\n")
    beside.replace(path)  # whole or not at all


_ALWAYS = ("key", "task", "about", "text")


def _line(reply: Reply) -> str:
    values = {name: value for name, value in asdict(reply).items() if name in _ALWAYS or value not in ("", (), None)}
    return whole(json.dumps(values, ensure_ascii=False))


# ── The client ──────────────────────────────────────────────────────────────────────────────────
@dataclass
class RecordedClient:
    """Answers from one recording, and notes what it could not answer.

    Attributes:
        name: which recording, as the ledger calls it.
        replies: key → reply.
        missing: key → request, in the order in which they were asked.
        heard: key → request that it could answer, for whoever wants to know; None when nobody does.
    """

    name: str
    replies: Mapping[str, Reply]
    missing: dict[str, dict[str, Any]] = field(default_factory=dict)
    heard: dict[str, dict[str, Any]] | None = None
    modelled: bool = True

    @classmethod
    def of(cls, name: str, corpus: Path = settings.CORPUS_DIR) -> "RecordedClient":
        """Open a corpus's recording by its name.

        Raises:
            NoRecording: see :func:`load`.
        """
        return cls(name, load(path_of(name, corpus)))

    @property
    def answers(self) -> str:
        """Who answers: a kept reply is only ever given in this one's name."""
        return f"recording {self.name}"

    @property
    def messages(self) -> "RecordedClient":
        """The part of the client that techniques use."""
        return self

    async def create(self, **request: Any) -> Any:
        """Answer one request.

        Returns:
            ``anthropic.types.Message``.

        Raises:
            TypeError: for arguments that the SDK does not take.
            Unrecorded: when the recording holds no reply to it.
        """
        requests.check_arguments(request)
        name = key(request)
        reply = self.replies.get(name)
        if reply is None:
            self.missing.setdefault(name, request)
            raise Unrecorded(
                f"recording {self.name} has no reply for the task {requests.task_name(request)!r} on: "
                f"{requests.question(request)}"
            )
        facts.current().attempts = 0
        if self.heard is not None:
            self.heard.setdefault(name, request)
        return message(request, reply)


def message(request: Mapping[str, Any], reply: Reply) -> Any:
    """Make the SDK's ``Message`` of a recorded reply; tokens that nobody counted are estimated."""
    from anthropic.types import Message, TextBlock, ToolUseBlock, Usage

    calls = [
        ToolUseBlock(type="tool_use", id=f"toolu_{reply.key}_{number}", name="search", input=dict(given))
        for number, given in enumerate(reply.tool_use)
    ]
    prompt = "".join(
        json.dumps(_plain(request.get(part)), ensure_ascii=False) for part in ("system", "messages", "tools")
    )
    return Message(
        id=f"msg_{reply.key}",
        content=[*([TextBlock(type="text", text=reply.text)] if reply.text else []), *calls],
        model=reply.family or "recorded",
        role="assistant",
        stop_reason=reply.stop_reason,
        type="message",
        usage=Usage(
            input_tokens=reply.usage[0] if reply.usage else count_tokens(prompt), output_tokens=reply.output_tokens
        ),
    )


def write_requests(path: Path, asked: Mapping[str, Mapping[str, Any]]) -> None:
    """Write requests (key → request) in the format of the Message Batches API, one a line."""
    lines = [json.dumps({"custom_id": key, "params": request}, ensure_ascii=False) for key, request in asked.items()]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
