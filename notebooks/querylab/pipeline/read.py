"""Read: put documents that a question points at into the context, section by section, without a search."""

import itertools
from collections.abc import Collection

from querylab.pipeline.admit import traced
from querylab.pipeline.state import Found, Run
from querylab.pipeline.trace import Trace
from querylab.retrieval.fuse import rrf_fuse


def read(run: Run, query: str, titles: Collection[str]) -> Trace:
    """Read some documents in the multi-hop budget.

    Several take turns, a section of each: else the first would fill the budget, and nothing could be compared.

    Args:
        run: the run of one question.
        query: what they are read for.
        titles: of documents of the corpus.
    """
    documents = [document.chunks for document in run.lab.corpus.documents if document.title in titles]
    turns = itertools.zip_longest(*documents)
    chunks = [chunk for turn in turns for chunk in turn if chunk is not None]
    found = Found(ranking=tuple(rrf_fuse([[chunk.id for chunk in chunks]])))
    return traced(run, query, None, found, chunks, run.budgets.multi_hop)
