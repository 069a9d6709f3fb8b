"""Rewrite: make a question complete without its conversation (notebook 01). The first step of the path."""

from querylab.pipeline.guard import guard_rewrite
from querylab.pipeline.state import Run, expect


async def rewrite(run: Run) -> str:
    """Rewrite the question of a run, where its configuration wants that and the guard lets it pass.

    Returns:
        The text to route and search; the question as typed when nothing usable was written.
    """
    if run.config.rewrite == "off":
        return run.question
    if run.config.rewrite == "needed":
        needs = run.function("needs_rewrite")(list(run.history), run.question)
        if not expect(needs, bool, "needs_rewrite", "True or False"):
            return run.question
    call = run.function("rewrite_query")(run.client, list(run.history), run.question)
    written = await run.attempt("rewrite", call, run.question, function="rewrite_query", limited=True)
    expect(written, str, "rewrite_query", "a text")
    return guard_rewrite(run, run.usable("rewrite", [written], run.question)[0])
