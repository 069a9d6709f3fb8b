"""Reciprocal rank fusion: several rankings in, one ranking out. It looks at ranks, never at scores."""

from collections.abc import Iterable, Sequence

from querylab import settings


def rrf_fuse(rankings: Iterable[Sequence[str]], k: int = settings.RRF_K) -> list[tuple[str, float]]:
    """Fuse rankings by the sum of reciprocal ranks.

    Args:
        rankings: lists of ids, best first; ranks count from 1. An id repeated inside one ranking
            counts once, at its best rank. The inputs are not changed.
        k: damping constant; the larger, the less the first places stand out.

    Returns:
        ``(id, score)`` pairs, best first, score = Σ 1/(k + rank); equal scores stand in id order.

    Raises:
        ValueError: when ``k`` is not above -1, where a score would have no meaning.

    Source: Cormack, Clarke & Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual
    Rank Learning Methods", SIGIR 2009.
    """
    if k <= -1:
        raise ValueError(f"k must be above -1, found {k}.")
    scores: dict[str, list[float]] = {}
    for ranking in rankings:
        if isinstance(ranking, str):
            raise TypeError(f"A ranking is a list of ids; found the text {ranking!r}. Pass [[…], […]].")
        seen: set[str] = set()
        for rank, item in enumerate(ranking, start=1):
            if item not in seen:
                seen.add(item)
                scores.setdefault(item, []).append(1.0 / (k + rank))
    # Sorted before adding: the sum of floats then does not depend on the order of the rankings.
    fused = [(item, sum(sorted(parts))) for item, parts in scores.items()]
    return sorted(fused, key=lambda pair: (-pair[1], pair[0]))
