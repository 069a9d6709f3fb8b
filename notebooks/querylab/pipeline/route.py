"""Route: choose one of three ways by the kind of question, and build the bridge of a second hop (notebook 05)."""

from querylab.pipeline.search import joined
from querylab.pipeline.state import Found, Run, TechniqueError, expect, expect_searches, log
from querylab.pipeline.wiring import guarded
from querylab.types import INTENTS, Routed


def single_hop(run: Run) -> Routed:
    """Give the route of every question that no router has seen, or whose routing failed."""
    return Routed("single-hop", run.budgets.default)


async def route(run: Run, query: str) -> Routed:
    """Classify a question and give its way: the intent, the budget, and for a multi-hop one the searches made.

    Returns:
        Single-hop without a router, and when the routing failed: when in doubt, search.
    """
    if not run.config.router:
        return single_hop(run)
    call = run.function("route")(run.meter.client, guarded(run, query), query, run.budgets)
    routed = await run.attempt("route", call, single_hop(run), function="route")
    expect(routed, Routed, "route", "a Routed")
    if routed.intent not in INTENTS:
        raise TechniqueError(f"route() chose {routed.intent!r}; a route is one of {', '.join(INTENTS)}.")
    if type(routed.budget) is not int or routed.budget < 0:
        raise TechniqueError(f"route() gave the budget {routed.budget!r}; it is a whole number of tokens.")
    expect_searches(routed.searches, "route", "give the searches it made")
    log.info("routed %r to %s", query, routed.intent)
    return routed


async def second_hop(run: Run, query: str, found: Found) -> Found:
    """Search once more, with a bridge from what the first search found."""
    hits = found.searches[0].hits if found.searches else ()
    call = run.function("bridge_query")(run.meter.client, query, list(hits))
    bridge = await run.attempt("bridge", call, query, function="bridge_query")
    expect(bridge, str, "bridge_query", "a text")
    if not bridge.strip() or bridge == query:
        return Found.fused(found.searches)
    return Found.fused(joined(found.searches, [await guarded(run, query).retrieve(bridge)]))
