"""The offline model: rules of language behind the interface of the Messages API.

``MockClient().messages.create(...)`` takes what the SDK's client takes, refuses what the API
refuses, and answers with the SDK's own ``Message``. The text comes from the functions in
:mod:`querylab.models.rules`, one a task, chosen by the role line of the system prompt. Same request,
same reply, always. Its figures prove that the path is connected; they say nothing about a model.
"""

import hashlib
import json
from typing import Any

from querylab import prompts, settings
from querylab.models import requests, rules
from querylab.text import count_tokens
from querylab.types import Turn

MODEL = "querylab-rules"


class UnknownTask(LookupError):
    """A system prompt whose first line is no role line that the rules know."""


class MockClient:
    """A stand-in for ``anthropic.AsyncAnthropic``."""

    modelled = True

    def __init__(self) -> None:
        self.messages = MockMessages()


class MockMessages:
    """The part of the client that techniques use."""

    async def create(self, **request: Any) -> Any:
        """Answer one request by rule.

        Raises:
            TypeError: for an argument that the SDK does not take, or a missing one (as the SDK).
            SettingError: for a model without a price.
            anthropic.BadRequestError: for a request that the API refuses.
            UnknownTask: for a system prompt that no rule knows; lists the known role lines.
        """
        requests.check_arguments(request)
        settings.price(request["model"])
        _refuse_bad(request)
        task = prompts.task_of(request.get("system"))
        if task is None:
            known = "\n".join(f"  {task.role_line}" for task in prompts.TASKS.values())
            first = str(request.get("system") or "").split("\n", 1)[0]
            raise UnknownTask(
                f"The offline rules know no task for a system prompt that begins with {first!r}. "
                f"Known first lines:\n{known}\nKeep one of them, or use the live model (MOCK=0)."
            )
        return _message(request, _answer(task, request["messages"]))


def _answer(task: prompts.Task, messages: list[dict[str, Any]]) -> str:
    fields = prompts.read_fields(_text(messages[-1]["content"]))
    question = "".join(field.text for field in fields if field.name == "question")
    passages = [(field.attribute, field.text) for field in fields if field.name == "passage"]
    history: list[Turn] = [
        {"role": "assistant" if field.attribute == "assistant" else "user", "content": field.text}
        for field in fields
        if field.name == "turn"
    ]
    match task.name:
        case "rewrite":
            return rules.rewrite(history, question)
        case "hyde":
            return rules.hypothetical_passage(question)
        case "multi_query":
            return "\n".join(rules.variants(question))
        case "step_back":
            return rules.step_back(question)
        case "classify":
            return rules.intent(question)
        case "bridge":
            return rules.bridge(question, [text for _, text in passages])
        case "answer":
            return rules.answer(question, passages)
        case "reply":
            return rules.direct_reply(question)
    raise UnknownTask(f"The task {task.name!r} has a prompt but no rule; add one in querylab/models/mock.py.")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content if isinstance(block, dict))


def _refuse_bad(request: dict[str, Any]) -> None:
    """Raise what the API raises for requests it does not take."""
    messages, system = request["messages"], request.get("system")
    sampling = [name for name in ("temperature", "top_p", "top_k") if name in (request.get("extra_body") or {})]
    fault = ""
    if sampling:
        fault = f"{sampling[0]}: sampling parameters are not supported"
    elif not _whole(request["max_tokens"]) or request["max_tokens"] < 1:
        fault = "max_tokens: must be a whole number from 1"
    elif not messages:
        fault = "messages: at least one message is required"
    elif not _thinking_taken(request.get("thinking"), request["model"]):
        fault = "thinking.type: not supported by this model; the lab's prompts use 'disabled'"
    elif system is not None and not isinstance(system, str | list):
        fault = "system: must be a text or a list of text blocks"
    else:
        for index, message in enumerate(messages):
            if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
                fault = f"messages.{index}.role: must be 'user' or 'assistant'"
            elif not message.get("content") or not _text(message["content"]).strip():
                fault = f"messages.{index}: content must not be empty"
        if not fault and messages[-1]["role"] == "assistant":
            fault = "messages: the conversation must end with a user message (prefill is not supported)"
    if fault:
        raise _bad_request(fault)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _thinking_taken(thinking: Any, model: str) -> bool:
    if thinking is None:
        return True
    kind = thinking.get("type") if isinstance(thinking, dict) else None
    return kind in ("disabled", "enabled" if model.startswith("claude-haiku-4-5") else "adaptive")


def _bad_request(fault: str) -> Exception:
    import anthropic
    import httpx2

    body = {"type": "error", "error": {"type": "invalid_request_error", "message": fault}}
    request = httpx2.Request("POST", "mock://messages")
    return anthropic.BadRequestError(fault, response=httpx2.Response(400, request=request, json=body), body=body)


def _message(request: dict[str, Any], reply: str) -> Any:
    from anthropic.types import Message, TextBlock, Usage

    asked = json.dumps(request, ensure_ascii=False, sort_keys=True, default=str)
    prompt = str(request.get("system") or "") + "".join(_text(message["content"]) for message in request["messages"])
    tokens = max(1, count_tokens(reply))
    stop = "end_turn"
    if tokens > request["max_tokens"]:
        reply, tokens, stop = reply[: request["max_tokens"]], request["max_tokens"], "max_tokens"
    return Message(
        id="msg_mock_" + hashlib.sha256(asked.encode("utf-8")).hexdigest()[:20],
        content=[TextBlock(type="text", text=reply)] if reply else [],
        model=MODEL,
        role="assistant",
        stop_reason=stop,
        type="message",
        usage=Usage(input_tokens=count_tokens(prompt), output_tokens=tokens),
    )
