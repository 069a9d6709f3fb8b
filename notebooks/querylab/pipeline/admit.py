"""Admit: the gate, then the budget; and the trace of what came through.

In: what was found. Out: the chunks whose raw scores pass the gate in any search, packed in fused order. What a
document lost here was lost for, the trace says: by the gate, or by the budget.
"""

from collections.abc import Collection

from querylab.pipeline.state import NOTHING, Found, Run
from querylab.pipeline.trace import Trace
from querylab.retrieval.admit import Packed, admitted_ids, pack
from querylab.types import Chunk, Intent


def through_gate(run: Run, found: Found) -> set[str]:
    """Collect the ids that pass the gate; all that were found when the configuration leaves it open."""
    if not run.config.gate:
        return {chunk_id for search in found.searches for chunk_id in search.ids}
    return admitted_ids(found.searches, run.gates)


def packed(
    run: Run, query: str, intent: Intent | None, found: Found, passed: Collection[str], budget: int | None
) -> Trace:
    """Pack the chunks that passed into a budget of tokens (the default one when None), in fused order."""
    chunks = {hit.chunk.id: hit.chunk for search in found.searches for hit in search.hits}
    return traced(run, query, intent, found, [chunks[key] for key, _ in found.ranking if key in passed], budget)


def traced(
    run: Run,
    query: str,
    intent: Intent | None,
    found: Found = NOTHING,
    admitted: Collection[Chunk] = (),
    budget: int | None = None,
    answer: str | None = None,
) -> Trace:
    """Write the trace of a run so far.

    Args:
        run: the run of one question.
        query: what was searched, or read for.
        intent: the route; None when no router ran.
        found: searches and ranking.
        admitted: chunks that may go into the context, best first.
        budget: tokens; the corpus's default when None.
        answer: when it is already known.
    """
    budget = run.budgets.default if budget is None else budget
    context = pack(tuple(admitted), budget) if admitted else Packed((), (), 0)
    return Trace(
        question=run.question,
        history=run.history,
        rewritten=query,
        intent=intent,
        searches=found.searches,
        ranking=found.ranking,
        admitted=tuple(admitted),
        context=context,
        budget=budget,
        answer=answer,
        events=tuple(run.meter.events),
        fallbacks=tuple(run.fallbacks),
        notes=(*run.notes, *_too_large(context, budget), *_from_cache(run)),
    )


def _too_large(context: Packed, budget: int) -> list[str]:
    """Say which sections the whole budget could not hold: no order of packing would have helped them."""
    cut = [f"larger than the budget, cut to fit: {chunk.id}, {chunk.tokens} tokens" for chunk in context.cut]
    lost = [chunk for chunk in context.dropped if chunk.tokens > budget]
    return cut + [f"larger than the budget, left out: {chunk.id}, {chunk.tokens} tokens" for chunk in lost]


def _from_cache(run: Run) -> list[str]:
    """Say in words what came out of the cache."""
    return [
        f"cache: {task} from {found.level}" + (f", asked as 「{found.kept.question}」" if found.cosine else "")
        for task, found in (run.cache.found if run.cache else ())
    ]
