"""The way of one question from its understanding to its context. The understanding is made once, here.

    question ─ tier 0 ─┬─ decided by rule ───────────────────────────────── answer by rule, no call
                       └─ one call ─ signals ─ path ─┬─ answer   other scopes: no search
                                                     ├─ read     a named document, whole
                                                     ├─ search   one planned search, by specificity
                                                     └─ agent    the model searches until it has enough

Everything downstream (path, searches, answer) reads the one understanding; nobody asks again.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from querylab.pipeline import heavier
from querylab.pipeline.trace import Trace
from querylab.prompts import clean_titles
from querylab.prompts.schema import PATHS, SCOPES, Path
from querylab.retrieval.admit import Packed, admitted_ids, pack
from querylab.retrieval.fuse import rrf_fuse
from querylab.types import ROUTES, Budgets, Fallback, Gates, Route, Routed, Search
from querylab.understanding import agent, documents, scopes
from querylab.understanding.fields import Understanding
from querylab.understanding.separate import understand_separately

log = logging.getLogger("querylab")

CAREFUL = "the careful path"
TYPED = "the question as typed"

Plan = list[tuple[str, tuple[Route, ...]]]
"""Searches to make: text, and the routes it goes to."""


class PathError(TypeError):
    """A technique of understanding returned something that its contract does not allow."""


async def follow(run: Any, budgets: Budgets, gates: Gates, answer: bool) -> Trace:
    """Send one question down the path that its understanding chooses.

    Args:
        run: the pipeline's run of this question: its lab, question, history, config, meter and small help.
        budgets: context budgets in tokens; reading and the agentic loop get ``multi_hop``.
        gates: the corpus's.
        answer: also write the answer.

    Returns:
        The trace, with ``understanding``, ``path`` and the agent's ``rounds``.
    """
    titles = [document.title for document in run.lab.corpus.documents]
    understanding = await understand(run, titles)
    pointed = documents.named(f"{run.question} {understanding.rewritten}", titles)
    path = _choose(run, understanding, pointed)
    log.info("understood %r as %s, path %s", run.question, understanding.scope, path)
    rounds: tuple[agent.Round, ...] = ()
    query = understanding.rewritten
    if path == "answer":
        text = scopes.answer(understanding.scope, run.history, titles)
        trace = run._trace(query, Routed("direct", budgets.default), (), [], answer=text)
        # Out of scope is a refusal, and counts as one; the rest is answered.
        intent = None if understanding.scope == "OUT_OF_SCOPE" else "direct"
        return replace(trace, intent=intent, understanding=understanding, path=path)
    if path == "read":
        trace = _read(run, query, pointed, budgets.multi_hop)
    else:
        budget = budgets.default
        if path == "search":
            searches = await _planned(run, understanding)
        else:
            searches, rounds = await _agent(run, query)
            budget = budgets.multi_hop
        searches = await heavier.also_searched(run, searches)
        ranking = rrf_fuse([search.ids for search in searches])
        trace = run._trace(query, Routed("single-hop", budget), searches, ranking, admitted_ids(searches, gates))
    trace = replace(trace, intent=None, understanding=understanding, path=path, rounds=rounds)
    return await run._answered(trace) if answer else trace


# ── Understanding, once ─────────────────────────────────────────────────────────────────────────
async def understand(run: Any, titles: Sequence[str]) -> Understanding:
    """Understand one question: by rule where tier 0 is sure, else by the model; then by the signals.

    Returns:
        The understanding; the fallback when the call failed, which takes the careful path.
    """
    config, history = run.config, list(run.history)
    if config.tier0:
        scope = run._function("tier0")(run.question, history)
        if scope is not None:
            if scope not in SCOPES or scope == "KNOWLEDGE_QUERY":
                raise PathError(f"tier0() returns a scope that needs no search, or None; found {scope!r:.80}.")
            kind = "chitchat" if scope == "CHITCHAT" else "factoid"
            return Understanding(run.question, kind, "SIMPLE", scope=scope, scope_confidence=1.0, origin="tier0")
    talk = " ".join([turn["content"] for turn in history[-4:]] + [run.question])
    in_view = clean_titles(documents.named(talk, titles))
    if config.understanding == "separate":
        first_object = run._function("first_object")
        call = understand_separately(run.client, history, run.question, in_view, first_object)
    else:
        call = run._function("understand")(run.client, history, run.question, in_view)
    unknown = Understanding.fallback(run.question)
    understanding = await run._attempt("understand", call, unknown, CAREFUL, function="understand", limited=True)
    if not isinstance(understanding, Understanding):
        raise PathError(f"understand() should return an Understanding, found {type(understanding).__name__}.")
    if understanding.origin == "fallback" and understanding is not unknown:
        run.fallbacks.append(Fallback("understand", "nothing in the reply could be read", CAREFUL))
    if config.signals:
        understanding = run._function("raise_complexity")(run.question, understanding)
        if not isinstance(understanding, Understanding):
            raise PathError(f"raise_complexity() should return an Understanding, found {understanding!r:.80}.")
    if understanding.scope == "KNOWLEDGE_QUERY":  # before the path is chosen: a title that drifted in is no title
        understanding = replace(understanding, rewritten=heavier.rewritten(run, understanding.rewritten))
    return understanding


def _choose(run: Any, understanding: Understanding, pointed: Sequence[str]) -> Path:
    path = run._function("choose_path")(understanding, list(pointed))
    if path not in PATHS:
        raise PathError(f"choose_path() chose {path!r:.80}; a path is one of {', '.join(PATHS)}.")
    if path == "answer" and understanding.scope == "KNOWLEDGE_QUERY":
        raise PathError("choose_path() chose 'answer' for a KNOWLEDGE_QUERY: that has to be searched.")
    if path == "read" and not pointed:
        raise PathError("choose_path() chose 'read', but the question names no document.")
    return path


# ── The three ways through the documents ────────────────────────────────────────────────────────
def _read(run: Any, query: str, titles: Sequence[str], budget: int) -> Trace:
    """Put a named document into the context, section by section, without a search."""
    wanted = [document for document in run.lab.corpus.documents if document.title in titles]
    chunks = tuple(chunk for document in wanted for chunk in document.chunks)
    trace = run._trace(query, Routed("single-hop", budget), (), [])
    packed = pack(chunks, budget) if chunks else Packed((), (), 0)
    ranking = tuple(rrf_fuse([[chunk.id for chunk in chunks]]))
    return replace(trace, ranking=ranking, admitted=chunks, context=packed)


async def _planned(run: Any, understanding: Understanding) -> tuple[Search, ...]:
    """Make the one planned search: the question, and what its specificity adds."""
    plan = await _plan(run, understanding)
    retriever = run.meter.retriever
    return tuple(await asyncio.gather(*(retriever.retrieve(text, routes) for text, routes in plan)))


async def _plan(run: Any, understanding: Understanding) -> Plan:
    query = understanding.rewritten
    if not run.config.hyde_when_fuzzy:
        return [(text, ROUTES) for text in await run._expand(query)]
    if understanding.specificity == "FUZZY":
        draft = run._function("hypothetical_document")(run.client, query)
        passage = await run._attempt("hyde", draft, query, function="hypothetical_document", limited=True)
        if not isinstance(passage, str) or not passage.strip() or passage == query:
            return [(query, ROUTES)]
        if passage not in heavier.expansions(run, "hyde_queries", query, [passage]):
            return [(query, ROUTES)]
        # Each route gets what it is good at: words to the words, an invented passage to the meaning.
        return [(query, ("bm25",)), (passage, ("cosine",))]
    plan: Plan = [(query, ROUTES)]
    if understanding.specificity == "PRECISE":
        exact = " ".join(documents.exact_terms(query))
        if exact and exact != query:
            plan.append((exact, ("bm25",)))
    return plan


async def _agent(run: Any, query: str) -> tuple[tuple[Search, ...], tuple[agent.Round, ...]]:
    gathered = await agent.gather(run.meter.client, heavier.retriever(run, query), query)
    searches = gathered.searches
    if gathered.error is not None:
        used = "what had been found so far" if searches else TYPED
        run.fallbacks.append(Fallback("agent", gathered.error, used))
    if gathered.stopped in ("rounds", "tokens"):
        run.notes.append(f"the agentic loop met its limit on {gathered.stopped}")
    if not searches:
        searches = (await run.meter.retriever.retrieve(query),)
    return searches, gathered.rounds


__all__ = ["PathError", "follow", "understand"]
