"""Small arithmetic that several rooms need."""

import math
from collections.abc import Iterable


def quantile(values: Iterable[float], q: float) -> float | None:
    """Give the value below which a share of the values lies, interpolated between neighbours.

    Args:
        values: numbers in any order.
        q: the share, 0 to 1; 0.5 gives the median.

    Returns:
        The quantile in the values' unit; None without values.

    Raises:
        ValueError: for a share outside 0 to 1.
    """
    if not 0 <= q <= 1:
        raise ValueError(f"A share is 0 to 1, found {q}.")
    ordered = sorted(values)
    if not ordered:
        return None
    place = q * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
