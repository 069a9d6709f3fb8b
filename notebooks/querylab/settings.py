"""Every number and every environment variable of the lab, in one place.

Numbers that belong to a *corpus* (its gates, its context budgets) live in that corpus's
``manifest.toml`` instead, because another corpus needs others.
"""

import os
from pathlib import Path
from typing import Final, Literal

# ── Places ──────────────────────────────────────────────────────────────────────────────────────
ROOT: Final = Path(__file__).resolve().parents[2]
"""The repository: ``notebooks/querylab/settings.py`` stands two folders below it."""

CORPUS_DIR: Final = ROOT / "corpus"
STARTER_DIR: Final = ROOT / "starter"
SOLUTION_DIR: Final = ROOT / "solution"

# ── Retrieval ───────────────────────────────────────────────────────────────────────────────────
POOL_PER_ROUTE: Final = 10
"""Hits that one route may bring into the candidate pool of one search."""

RRF_K: Final = 60
"""Constant of reciprocal rank fusion (Cormack, Clarke & Büttcher, SIGIR 2009)."""

BM25_K1: Final = 1.5
BM25_B: Final = 0.75
"""The defaults of ``rank_bm25.BM25Okapi``, whose scores ours equal."""

SCORE_DIGITS: Final = 6
"""Cosines are rounded to this many digits, so that two machines rank alike."""

DEFAULT_BUDGET: Final = 600
MULTI_HOP_BUDGET: Final = 1200
"""Context budgets in tokens for a corpus whose manifest names none."""

NDCG_AT: Final = 10
"""Depth of the nDCG column."""

# ── Query side ──────────────────────────────────────────────────────────────────────────────────
HISTORY_TURNS: Final = 4
"""Messages of the history that a rewriter sees: the last two questions and their answers."""

VARIANTS: Final = 2
"""Other wordings that multi-query asks for, besides the question itself."""

DRAFT_CHARACTERS: Final = (80, 150)
"""Length that the HyDE prompt asks for."""

# ── Models ──────────────────────────────────────────────────────────────────────────────────────
DEFAULT_MODEL: Final = "claude-haiku-5-5"

PRICES: Final[dict[str, tuple[float, float]]] = {
    "claude-haiku-5-5": (0.10, 0.50),
    "claude-haiku-4-5-20251001": (1.00, 5.00),
    "claude-haiku-4-5": (1.00, 5.00),
}
"""US dollars per million tokens, (input, output). Prompts up to 100,000 tokens."""

# Offline, durations are modelled, so that they teach the same thing on every machine.
FIRST_TOKEN_SECONDS: Final = 0.35
OUTPUT_TOKENS_PER_SECOND: Final = 80.0
SEARCH_SECONDS: Final = 0.03
"""Order of magnitude of a small hosted model and of one hybrid search; assumptions, not measurements."""

# ── Environment variables ───────────────────────────────────────────────────────────────────────
Mode = Literal["mock", "live", "replay"]
Track = Literal["starter", "solution"]

_MODES: Final[dict[str, Mode]] = {"": "mock", "1": "mock", "0": "live", "replay": "replay"}


class SettingError(ValueError):
    """An environment variable holds something the lab does not understand."""


def mode() -> Mode:
    """Say which model answers, from ``MOCK``: unset or ``1`` rules, ``0`` live, ``replay`` a recording.

    Raises:
        SettingError: for any other value.
    """
    value = os.environ.get("MOCK", "").strip().lower()
    if value not in _MODES:
        raise SettingError(
            f"MOCK={os.environ['MOCK']!r} is not understood. Use MOCK=1 (or leave it unset) for the offline "
            "rules, MOCK=0 for the live model (needs ANTHROPIC_API_KEY), MOCK=replay for a recording "
            "(needs LAB_REPLAY=FILE)."
        )
    return _MODES[value]


def model() -> str:
    """Name the live model: ``LAB_MODEL``, or :data:`DEFAULT_MODEL`."""
    return os.environ.get("LAB_MODEL", "").strip() or DEFAULT_MODEL


def track() -> Track:
    """Say whose exercises run: ``solution`` on the kernel "querylab solution", else ``starter``.

    Raises:
        SettingError: when ``QUERYLAB_TRACK`` holds anything else.
    """
    value = os.environ.get("QUERYLAB_TRACK", "").strip() or "starter"
    if value not in ("starter", "solution"):
        raise SettingError(
            f"QUERYLAB_TRACK={value!r} is not understood. Use 'starter' or 'solution', or leave it unset."
        )
    return value


def price(model_name: str) -> tuple[float, float]:
    """Give US dollars per million (input, output) tokens of a model.

    Raises:
        SettingError: for a model without an entry in :data:`PRICES`.
    """
    if model_name not in PRICES:
        raise SettingError(
            f"No price is known for the model {model_name!r}. Known: {', '.join(sorted(PRICES))}. "
            "Add it to PRICES in notebooks/querylab/settings.py."
        )
    return PRICES[model_name]
