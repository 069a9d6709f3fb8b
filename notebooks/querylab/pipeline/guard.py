"""Guard: cut and judge for drift what a technique wrote, before anything is searched with it (notebook 10).

In: the run, the question that was to be kept, the texts that a technique wrote. Out: the texts that may be searched.
A rejected one becomes a fallback; on slight drift the question goes into ``run.also``, to be searched beside it. With
the guard off, texts pass as they are.
"""

from collections.abc import Callable, Sequence

from querylab.guard import drift
from querylab.guard.drift import DriftVerdict
from querylab.pipeline.state import Run, TechniqueError
from querylab.retrieval.protocol import AnyRetriever
from querylab.retrieval.wrappers import OneByOne
from querylab.types import ROUTES, Route, Search

_MUST_KEEP: dict[str, tuple[drift.Kind, ...]] = {
    "hyde_queries": ("title", "name", "code"),
    "step_back_queries": ("title", "code"),
}
"""Core terms that an expansion of another kind must keep. An invented passage says 若干 for figures, and a step back
leaves figures, times and places out on purpose; both lie far from the question by design, so their cosine says
nothing."""

_TASKS = {"hyde_queries": "hyde", "query_variants": "multi_query", "step_back_queries": "step_back"}
"""What an expansion asks the model for, by the function that asks."""


def guard_rewrite(run: Run, text: str) -> str:
    """Cut and judge the rewrite of a question; give the question itself when it is rejected."""
    text = cut(run, text, run.question)
    if not run.config.guard or text == run.question:
        return text
    verdict = _judge(run, run.question, text, run.said)
    if verdict.state == "rejected":
        run.fall_back("guard", f"「{text}」 {verdict.reason}")
        run.forget("rewrite", "understand")
        return run.question
    if verdict.state == "slight":
        run.notes.append(f"guard: slight drift, the question is searched too: 「{text}」 {verdict.reason}")
        run.also.append(run.question)
    return text


def guard_expansions(run: Run, name: str, query: str, texts: Sequence[str]) -> list[str]:
    """Cut and judge what one expansion returned, by the name of its function; the question itself always passes."""
    if name != "hyde_queries":
        texts = [cut(run, text, query) for text in texts]
    if not run.config.guard:
        return list(texts)
    kept = []
    for text in texts:
        verdict = DriftVerdict("ok", "") if text == query else _judge_expansion(run, name, query, text)
        if verdict.state == "rejected":
            run.fall_back("guard", f"「{text}」 {verdict.reason}", "the other searches")
        else:
            kept.append(text)
    if not set(kept) - {query} and set(texts) - {query}:
        run.forget(_TASKS[name])
    return kept or [query]


def guard_parts(run: Run, query: str, parts: Sequence[str]) -> list[str]:
    """Cut and judge the parts of a question. No single part keeps everything; together they must."""
    found = [cut(run, text, query) for text in parts if text.strip()] or [query]
    if run.config.guard and found != [query]:
        verdict = _judge(run, query, "，".join(found))
        if verdict.state == "rejected":
            run.fall_back("guard", f"「{'」「'.join(found)}」 {verdict.reason}", "the question alone")
            run.forget("sub_questions")
            return [query]
    return found


class GuardedRetriever(OneByOne):
    """Searches what was written from found passages: a bridge, a filled gap, a round of the agentic loop.

    Such a query leaves the question on purpose, so neither its nearness nor what it dropped says anything. But every
    core term in it must come from the question, the conversation or a passage; else the question itself is searched.
    """

    def __init__(
        self, retriever: AnyRetriever, query: str, said: str, made: Sequence[Search], reject: Callable[[str], None]
    ) -> None:
        """Put the guard before a retriever.

        Args:
            retriever: makes the searches.
            query: the question as it stands after its own rewriting; searched in place of what is rejected.
            said: the question as typed and its conversation.
            made: the searches of this question so far; it grows while they are made.
            reject: is told of every query that is rejected, in words.
        """
        self._retriever, self._query, self._said, self._made, self._reject = retriever, query, said, made, reject

    async def retrieve(self, query: str, routes: Sequence[Route] = ROUTES) -> Search:
        """Search, or on a rejected query give the question's own search."""
        passages = dict.fromkeys(hit.chunk.text for search in self._made for hit in search.hits)
        invented = drift.added(self._query, query, "\n".join([self._said, *passages]))
        if not invented:
            return await self._retriever.retrieve(query, routes)
        self._reject(f"「{query}」 多了{drift.describe(invented)}")
        own = (self._query, tuple(routes))
        made = next((search for search in self._made if (search.query, search.routes) == own), None)
        return made or await self._retriever.retrieve(self._query, routes)


def cut(run: Run, text: str, question: str) -> str:
    """Cut one rewritten line to the configuration's length; the question itself is never cut."""
    limit = run.config.line_limit
    return text if limit is None or text == question else drift.shorten(text, limit)


def _judge_expansion(run: Run, name: str, query: str, text: str) -> DriftVerdict:
    if name not in _MUST_KEEP:
        return _judge(run, query, text)
    lost, swapped = drift.lost(query, text, _MUST_KEEP[name]), drift.swapped(query, text)
    if lost:
        return DriftVerdict("rejected", f"丢了{drift.describe(lost)}")
    if swapped:
        return DriftVerdict("rejected", f"「{swapped[0][0]}」换成了「{swapped[0][1]}」")
    return DriftVerdict("ok", "")


def _judge(run: Run, question: str, text: str, known: str = "") -> DriftVerdict:
    encoder, more = run.lab.retriever.encoder, (known,) if known else ()
    verdict = run.function("check_drift")(question, text, encoder, *more)
    if not isinstance(verdict, DriftVerdict) or verdict.state not in drift.DRIFTS:
        raise TechniqueError(f"check_drift() should return a DriftVerdict, found {verdict!r:.80}.")
    return verdict
