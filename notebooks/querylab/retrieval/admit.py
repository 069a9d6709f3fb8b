"""From pool to context: the gate (raw scores) and the budget (tokens)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from querylab.text import count_tokens, sentences
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
    """A filled context: what went in, what did not fit (both in fused order), and the tokens used.

    ``cut`` holds the section that was larger than the whole budget and went in shortened, as it was before.
    """

    chunks: tuple[Chunk, ...]
    dropped: tuple[Chunk, ...]
    tokens: int
    cut: tuple[Chunk, ...] = ()


def pack(chunks: Sequence[Chunk], budget: int) -> Packed:
    """Fill the context in the order given, skipping what does not fit and going on.

    Args:
        chunks: admitted chunks, best first; a chunk that stands twice is taken once.
        budget: tokens that fit.

    Returns:
        The packed context, never over budget. A chunk larger than the whole budget could never be used: when it is
        the best one, as many of its sentences go in as fit; anywhere else it is dropped like what finds no room.

    Raises:
        ValueError: for a negative budget.
    """
    if budget < 0:
        raise ValueError(f"A budget is a number of tokens from 0, found {budget}.")
    kept: list[Chunk] = []
    dropped: list[Chunk] = []
    cut: list[Chunk] = []
    tokens = 0
    for place, chunk in enumerate({chunk.id: chunk for chunk in chunks}.values()):
        fitting = shortened(chunk, budget) if place == 0 and chunk.tokens > budget else chunk
        if fitting is not None and tokens + fitting.tokens <= budget:
            kept.append(fitting)
            tokens += fitting.tokens
            cut += [chunk] if fitting is not chunk else []
        else:
            dropped.append(chunk)
    return Packed(tuple(kept), tuple(dropped), tokens, tuple(cut))


def shortened(chunk: Chunk, budget: int) -> Chunk | None:
    """Cut a chunk to the sentences from its beginning that fit a budget.

    Returns:
        The chunk with a shorter body, its title and heading whole; None when not one fits, or there is only one.
    """
    best, end = None, 0
    for sentence in sentences(chunk.body)[:-1]:
        end = chunk.body.index(sentence, end) + len(sentence)
        shorter = replace(chunk, body=f"{chunk.body[:end]}……")
        shorter = replace(shorter, tokens=count_tokens(shorter.text))
        if shorter.tokens > budget:
            break
        best = shorter
    return best
