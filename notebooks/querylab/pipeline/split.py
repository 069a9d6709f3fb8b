"""Split: take a question that asks several things apart, and search it and its parts (notebook 09)."""

from querylab.pipeline.guard import guard_parts
from querylab.pipeline.state import Run, expect_searches, expect_texts
from querylab.pipeline.wiring import guarded
from querylab.retrieval.wrappers import NotingRetriever
from querylab.types import Fallback, Search


async def split(run: Run, query: str) -> list[Search]:
    """Split a question, and search it and its parts.

    Returns:
        The searches, the question's own first; ``run.parts`` holds the parts. When nothing usable comes of the
        splitting, the question alone.
    """
    splitting = run.function("sub_questions")(run.client, query)
    found = await run.attempt("sub-questions", splitting, [query], function="sub_questions", limited=True)
    parts = guard_parts(run, query, expect_texts(found, "sub_questions"))
    run.parts = tuple(parts)
    noting = NotingRetriever(guarded(run, query))
    searching = run.function("search_parts")(run.client, noting, query, list(parts))
    searches = await run.attempt("parts", searching, None, "the question alone", "search_parts", limited=True)
    if searches is None:
        own = [] if query in [search.query for search in noting.searches] else [await run.retriever.retrieve(query)]
        return [*own, *noting.searches]
    searches = expect_searches(searches, "search_parts", "return a list of Searches")
    lost = len({query, *parts}) - len({search.query for search in searches})
    if lost > 0:
        run.fallbacks.append(Fallback("parts", f"{lost} of {len(parts)} could not be searched", "the other parts"))
    return list(searches)
