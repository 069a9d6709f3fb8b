"""From pool to context: the gate (raw scores) and the budget (tokens)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from querylab.types import Chunk, Gates, Hit, Search


def passes(hit: Hit, gates: Gates) -> bool:
    """Say whether one hit is admitted: either raw score reaches its gate.

    Raw, never fused: a fused score only says who is first, and the worst pool also has a first.
    """
    return hit.bm25 >= gates.bm25 or hit.cosine >= gates.cosine


def admitted_ids(searches: Iterable[Search], gates: Gates) -> set[str]:
    """Collect the chunks that pass the gate in any of a question's searches."""
    return {hit.chunk.id for search in searches for hit in search.hits if passes(hit, gates)}


@dataclass(frozen=True)
class Packed:
    """A filled context: what went in, what did not fit (both in fused order), and the tokens used."""

    chunks: tuple[Chunk, ...]
    dropped: tuple[Chunk, ...]
    tokens: int


def pack(chunks: Sequence[Chunk], budget: int) -> Packed:
    """Fill the context in the order given, skipping what does not fit and going on.

    Args:
        chunks: admitted chunks, best first; a chunk that stands twice is taken once.
        budget: tokens that fit.

    Returns:
        The packed context, never over budget. An oversized first chunk does not empty the context:
        it is dropped and the next ones are tried.

    Raises:
        ValueError: for a negative budget.
    """
    if budget < 0:
        raise ValueError(f"A budget is a number of tokens from 0, found {budget}.")
    kept: list[Chunk] = []
    dropped: list[Chunk] = []
    tokens = 0
    for chunk in {chunk.id: chunk for chunk in chunks}.values():
        if tokens + chunk.tokens <= budget:
            kept.append(chunk)
            tokens += chunk.tokens
        else:
            dropped.append(chunk)
    return Packed(tuple(kept), tuple(dropped), tokens)
