"""The one place where a run's client and retriever are put together out of wrappers that all look alike.

    client      cache ─ meter ─ who answers (rules, recording, live model)
    retriever   guard ─ shared ─ meter ─ the lab's retriever

In: a lab, a question, a configuration. Out: a :class:`~querylab.pipeline.state.Run`, ready for its first step. Cache
and sharing are there only when the configuration wants them; the guard only for steps that search by themselves.
"""

from pathlib import Path

from querylab.guard.caches import CachingClient, RewriteCache, fingerprint
from querylab.models.clock import VirtualClock, WallClock
from querylab.models.meter import Meter
from querylab.models.protocol import answers, modelled
from querylab.pipeline.config import Config
from querylab.pipeline.guard import GuardedRetriever
from querylab.pipeline.state import Run, Setup
from querylab.retrieval.protocol import AnyRetriever
from querylab.retrieval.wrappers import SharedRetriever
from querylab.types import Turn


def open_run(
    lab: Setup, question: str, history: tuple[Turn, ...], config: Config, documents: tuple[str, ...] = ()
) -> Run:
    """Put together what one question carries.

    Raises:
        MissingGates: for a corpus that has not been calibrated.
    """
    clock = VirtualClock() if modelled(lab.client) else WallClock()
    gates = lab.corpus.require_gates()
    meter = Meter(lab.client, lab.retriever, clock)
    cache = _cached(lab, meter) if config.cache else None
    return Run(
        lab,
        question,
        history,
        config,
        gates,
        config.budgets(lab.corpus),
        meter,
        client=cache or meter.client,
        retriever=_shared(config, meter, question),
        cache=cache,
        documents=documents,
    )


async def close_run(run: Run) -> None:
    """Stop what is still being searched though nobody needs it."""
    if isinstance(run.retriever, SharedRetriever):
        await run.retriever.settle()


def guarded(run: Run, query: str) -> AnyRetriever:
    """Give the retriever for steps that write their own searches: with the guard before it when that is on.

    Args:
        run: the run of one question.
        query: the question as it stands after its own rewriting.
    """
    if not run.config.guard:
        return run.retriever

    def reject(reason: str) -> None:
        run.fall_back("guard", reason, "the question itself")

    return GuardedRetriever(run.retriever, query, f"{run.question}\n{run.said}", run.meter.searches, reject)


def _cached(lab: Setup, meter: Meter) -> CachingClient:
    if lab.cache is None:
        lab.cache = open_cache(lab)
    return CachingClient(meter.client, lab.cache, fingerprint(lab.corpus), lab.user, answers(lab.client))


def _shared(config: Config, meter: Meter, question: str) -> AnyRetriever:
    """Share searches where several ways run side by side. With ``beside``, the search of the question as typed begins
    here, while it is being rewritten."""
    if not (config.beside or (config.sub_questions and config.expands)):
        return meter.retriever
    retriever = SharedRetriever(meter.retriever)
    if config.beside:
        retriever.begin(question)
    return retriever


def open_cache(lab: Setup, disk: Path | str | None = None) -> RewriteCache:
    """Open a rewrite cache with a lab's encoder and its techniques' rules.

    Args:
        lab: whose ``cache_key`` and ``may_share`` decide.
        disk: the second level's file; in memory alone when None.
    """
    key, may_share = lab.techniques.get("cache_key"), lab.techniques.get("may_share")
    return RewriteCache(lab.retriever.encoder, key, may_share, disk)
