"""Agent: let the model choose searches until it has enough (notebook 08). What it found goes through the same gate."""

from querylab.pipeline.state import TYPED, Run
from querylab.pipeline.wiring import guarded
from querylab.types import Search
from querylab.understanding import agent
from querylab.understanding.agent import Round


async def search_by_agent(run: Run, query: str) -> tuple[tuple[Search, ...], tuple[Round, ...]]:
    """Let the model search for one question.

    Returns:
        The searches, the question's own when the model made none, and a record of every round.
    """
    gathered = await agent.gather(run.meter.client, guarded(run, query), query)
    searches = gathered.searches
    if gathered.error is not None:
        run.fall_back("agent", gathered.error, "what had been found so far" if searches else TYPED)
    if gathered.stopped in ("rounds", "tokens"):
        run.notes.append(f"the agentic loop met its limit on {gathered.stopped}")
    return searches or (await run.meter.retriever.retrieve(query),), gathered.rounds
