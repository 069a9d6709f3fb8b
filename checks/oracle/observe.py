"""What is seen of one call: what it asked of the model, what it searched, what came out, what became of its arguments.

In: a :class:`Scene` and a function, the student's or the reference's. Out: an :class:`Observation`. Both meet the same
model and the same retriever, whose answers depend on nothing but what is asked.
"""

import asyncio
import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from querylab.models.reply import CallFailed, ModelError
from querylab.types import ROUTES, Hit, Route, Search

from checks import handed_in
from checks.stand_ins import AngleEncoder, chunk, message
from checks.verdict import Wrong

CLIENT, RETRIEVER, ENCODER = "the client", "the retriever", "the encoder"
"""Stand for the stand-ins among a scene's arguments."""
SECONDS = 2.0
MOST_CALLS = 40


@dataclass(frozen=True)
class Reply:
    """What the model says: texts, or a failure.

    Attributes:
        text: its text; several blocks where it is a tuple.
        stop: why it stopped.
        thinking: a thinking block before it.
        fails: the call itself fails.
        never: it never comes; the caller is cancelled.
        kind: in words, for messages.
    """

    text: str | tuple[str, ...] = ""
    stop: str = "end_turn"
    thinking: str = ""
    fails: bool = False
    never: bool = False
    kind: str = ""

    def __str__(self) -> str:
        shown = self.kind or repr(self.text if isinstance(self.text, str) else "".join(self.text))
        return shown if len(shown) < 160 else f"{shown[:160]}…"


@dataclass(frozen=True)
class Scene:
    """One call to be made.

    Attributes:
        function: whose name is called.
        arguments: its arguments in order.
        replies: what the model says, call by call; the last one again and again.
        by_question: what it says to a request, instead.
        find: query → chunk ids, best first.
        texts: chunk id → text.
        near: cosine that the encoder gives the first two texts.
        question: what a fallback would be.
        why: what this scene is about, for messages; "" when the difference speaks for itself.
        also: anything that the freedoms of the function need.
    """

    function: str
    arguments: tuple[Any, ...]
    replies: tuple[Reply, ...] = ()
    by_question: Callable[[str], Reply] | None = None
    find: Callable[[str], Sequence[str]] | None = None
    texts: Callable[[str], str] = str
    near: float | None = None
    question: str = ""
    why: str = ""
    also: Any = None


@dataclass
class Observation:
    """What was seen of one call."""

    requests: list[dict[str, Any]] = field(default_factory=list)
    searches: list[str] = field(default_factory=list)
    returned: Any = None
    raised: BaseException | None = None
    changed: tuple[Any, Any] | None = None


class _Model:
    modelled = True

    def __init__(self, scene: Scene, seen: Observation, asked: asyncio.Event | None) -> None:
        self.scene, self.seen, self.asked, self.messages = scene, seen, asked, self

    async def create(self, **request: Any) -> Any:
        self.seen.requests.append(copy.deepcopy(request))
        if len(self.seen.requests) > MOST_CALLS:
            raise AssertionError(f"一次调用里问了模型 {MOST_CALLS} 多次")
        if self.scene.by_question is not None:
            said = self.scene.by_question(handed_in.question_of(request))
        else:
            said = self.scene.replies[min(len(self.seen.requests), len(self.scene.replies)) - 1]
        if said.never and self.asked is not None:
            self.asked.set()
            await asyncio.Event().wait()
        if said.fails:
            raise CallFailed("529 overloaded (stand-in)")
        texts = said.text if isinstance(said.text, tuple) else (said.text,)
        return message(*texts, stop_reason=said.stop, thinking=said.thinking)


class _Searcher:
    def __init__(self, scene: Scene, seen: Observation) -> None:
        self.scene, self.seen = scene, seen

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        self.seen.searches.append(query)
        ids = self.scene.find(query) if self.scene.find else ()
        # Raw scores run against the ranking, so that sorting by them shows.
        hits = (
            Hit(chunk(item, self.scene.texts(item)), float(rank), rank / 100, rank) for rank, item in enumerate(ids, 1)
        )
        return Search(query, ROUTES, tuple(hits))

    async def retrieve_many(self, queries: Sequence[str], routes: Sequence[Route] = ROUTES) -> list[Search]:
        return [await self.retrieve(query, routes) for query in queries]


async def observe(function: Callable[..., Any], scene: Scene, waits: bool, look: str = "") -> Observation:
    """Make the call of one scene, and see what happens.

    Args:
        function: the student's or the reference's.
        scene: what it is called with.
        waits: whether it is to be awaited.
        look: where it stands, for messages.

    Raises:
        Wrong: when it is awaitable and should not be, or the other way round.
    """
    seen = Observation()
    asked = asyncio.Event() if any(said.never for said in scene.replies) else None
    things = {CLIENT: _Model(scene, seen, asked), RETRIEVER: _Searcher(scene, seen)}
    plain = [item for item in scene.arguments if isinstance(item, str)]
    if scene.near is not None:
        things[ENCODER] = AngleEncoder(scene.near, plain[0], plain[1])
    mine = copy.deepcopy(scene.arguments)
    arguments = [things.get(item, item) if isinstance(item, str) else item for item in mine]
    try:
        if waits:
            call = handed_in.awaited(function, *arguments, look=look)
            seen.returned = await (_cancelled(call, asked) if asked is not None else call)
        else:
            seen.returned = handed_in.called(function, *arguments)
    except Wrong:
        raise
    except (Exception, asyncio.CancelledError) as error:
        seen.raised = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error
    for before, after in zip(scene.arguments, mine, strict=True):
        if before != after and seen.changed is None:
            seen.changed = (before, after)
    return seen


async def _cancelled(call: Any, asked: asyncio.Event) -> Any:
    """Cancel a call as soon as it waits for the model, as the pipeline's time limit does."""
    running, waiting = asyncio.ensure_future(call), asyncio.ensure_future(asked.wait())
    await asyncio.wait([running, waiting], timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    running.cancel()
    await asyncio.wait([running], timeout=SECONDS)
    return await running


def failed(seen: Observation) -> bool:
    """Say whether a call let a model's failure out."""
    return isinstance(seen.raised, ModelError)


def shrunk(scene: Scene) -> list[Scene]:
    """Smaller scenes of the same kind: a shorter history, fewer parts."""
    smaller = []
    for place, argument in enumerate(scene.arguments):
        if isinstance(argument, list) and argument and scene.by_question is None:
            for kept in ([], argument[-1:], argument[-2:], argument[: len(argument) // 2]):
                if len(kept) < len(argument):
                    changed = (*scene.arguments[:place], kept, *scene.arguments[place + 1 :])
                    smaller.append(replace(scene, arguments=changed))
    return smaller
