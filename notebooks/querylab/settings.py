"""Every number and every environment variable of the lab, in one place.

Numbers that belong to a *corpus* (its gates, its context budgets) live in that corpus's
``manifest.toml`` instead, because another corpus needs others.
"""

import math
import os
import re
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

# ── Places ──────────────────────────────────────────────────────────────────────────────────────
ROOT: Final = Path(__file__).resolve().parents[2]
"""The repository: ``notebooks/querylab/settings.py`` stands two folders below it."""

CORPUS_DIR: Final = ROOT / "corpus"
STARTER_DIR: Final = ROOT / "starter"
SOLUTION_DIR: Final = ROOT / "solution"
LAB_DIR: Final = ROOT / ".lab"
"""What the lab itself writes; ignored by git."""

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

MILVUS_FOLDER: Final = LAB_DIR / "milvus.db"
ENGINE_SECONDS, ENGINE_BATCH = 20.0, 256
MEAN_LENGTH_DRIFT: Final = 0.05
"""Milvus: where Lite keeps its index when no place is named; longest wait for one call, all tries included; chunks
written at once; share by which their mean length may move before all of them are weighed anew."""

IMPORTED_TOKENS: Final = 400
"""Longest section that an import makes of a document."""

# ── Query side ──────────────────────────────────────────────────────────────────────────────────
HISTORY_TURNS: Final = 8
"""Messages of the history that a rewriter sees: the last four questions and their answers. In 220 crowd-written travel
follow-ups the thing meant stands within the last 2 / 4 / 6 / 8 messages in 41 / 76 / 95 / 100 % (measured elsewhere);
four messages more are about 150 input tokens, 0.0015 US cents a call at the default model's price."""

VARIANTS: Final = 2
"""Other wordings that multi-query asks for, besides the question itself."""

DRAFT_CHARACTERS: Final = (80, 150)
"""Length that the HyDE prompt asks for."""

# ── Understanding in one call ───────────────────────────────────────────────────────────────────
REWRITTEN_CHARACTERS: Final = 200
"""Longest rewriting that still counts as one question."""

MEMORY_HINT_CHARACTERS: Final = 120
MEMORY_HINTS: Final = 5
"""What may be remembered of one turn: characters of one hint, and hints."""

SCOPE_CONFIDENCE: Final = 0.6
"""From here on a scope other than KNOWLEDGE_QUERY is believed; below, the question is searched."""

TITLE_CHARACTERS: Final = 60
TITLES: Final = 8
"""Document titles in a prompt or a list: characters of one, and how many."""

GREETING_CHARACTERS: Final = 8
IDENTITY_CHARACTERS: Final = 25
"""Longest greeting, and longest statement about oneself, that tier 0 decides by rule."""

AGENT_ROUNDS: Final = 4
AGENT_SEARCHES_PER_ROUND: Final = 3
AGENT_PASSAGES: Final = 3
AGENT_TOKENS: Final = 12_000
"""The agentic loop: calls to the model, searches in one of them, passages shown of each search, and the input and
output tokens after which no further call is made."""

# ── Heavier rewriting ───────────────────────────────────────────────────────────────────────────
SUB_QUESTIONS: Final = 3
"""Sub-questions that one question may become."""

REWRITE_CHARACTERS: Final = 30
"""Longest line of a rewrite where a length limit is on (never a HyDE draft)."""

DRIFT_OK: Final = 0.83
DRIFT_FLOOR: Final = 0.65
"""Cosine of question and rewrite: at least DRIFT_OK is no drift, below DRIFT_FLOOR is rejected, between them is
slight drift. Fitted for the lab's encoder on ``checks/sets/drift`` by ``python -m checks.fit_drift``."""

LESSON_DRIFT: Final = (0.85, 0.70)
"""The same two thresholds as the lesson gives them, for another encoder."""

MEMORY_CACHE_ENTRIES: Final = 200
MEMORY_CACHE_SECONDS: Final = 24 * 3600.0
"""First-level cache: entries (the least recently used goes first) and how long one lives."""

DISK_CACHE_DAYS: Final = 7.0
"""Second-level cache: once in so many days, whatever is older is deleted."""

MEANING_CACHE_COSINE: Final = 0.9
"""Third-level cache: a question must be nearer than this to share another's rewrite."""

# ── Models ──────────────────────────────────────────────────────────────────────────────────────
DEFAULT_MODEL: Final = "claude-haiku-5-5"

PRICES: Final[dict[str, tuple[float, float]]] = {
    "claude-haiku-5-5": (0.10, 0.50),
    "claude-haiku-4-5-20251001": (1.00, 5.00),
    "claude-haiku-4-5": (1.00, 5.00),
}
"""US dollars per million tokens, (input, output). Prompts up to 100,000 tokens."""

CACHE_READ_FACTOR: Final = 0.1
CACHE_WRITE_FACTOR: Final = 1.25
"""What an input token costs, times the input price, when it is read from the prompt cache or written to it for
five minutes. Source: platform.claude.com, "Prompt caching", pricing."""

TOKENIZER_FACTOR: Final = 1.3
"""Tokens that a live model may count for each one that ``text.count_tokens`` estimates; estimates of cost use it."""

DEFAULT_MAX_USD: Final = 0.50
"""Ceiling on money for one process, when ``LAB_MAX_USD`` is unset: the whole ledger with the default model
costs a few cents."""

CALL_RETRIES: Final = 2
"""Tries after the first one. The SDK makes them (408, 409, 429, 5xx, lost connections); nothing retries on top."""

CONNECT_SECONDS: Final = 5.0
READ_SECONDS: Final = 30.0
CALL_SECONDS: Final = 120.0
"""Longest wait for a connection, for the next piece of a reply, and for one call with all its tries (a
``retry-after`` of an hour is not waited for)."""

CALLS_IN_FLIGHT: Final = 12
"""Live calls at once: four questions with three expansions each, so that no call of ``evaluate`` queues here (the
wait would be counted as latency)."""

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
            "(a shipped one, or LAB_REPLAY=FILE)."
        )
    return _MODES[value]


def model() -> str:
    """Name the live model: ``LAB_MODEL``, or :data:`DEFAULT_MODEL`."""
    return os.environ.get("LAB_MODEL", "").strip() or DEFAULT_MODEL


def api_key() -> str:
    """Return ``ANTHROPIC_API_KEY``. Hand it straight on: kept in a variable it would stand in a verbose traceback.

    Raises:
        SettingError: when it is missing, or holds characters that no key has. The message never shows it.
    """
    if not os.environ.get("ANTHROPIC_API_KEY", "").strip():
        raise SettingError(
            "MOCK=0 asks the live model, and that needs a key, but ANTHROPIC_API_KEY is not set. Set it in the "
            "terminal before Jupyter starts:\n"
            "  macOS, Linux:        read -rs ANTHROPIC_API_KEY && export ANTHROPIC_API_KEY\n"
            '  Windows PowerShell:  $env:ANTHROPIC_API_KEY = Read-Host "key"\n'
            "Do not write it into a notebook or a file. Without a key: MOCK=1 (the offline rules), or "
            "MOCK=replay (a recording of a model's replies)."
        )
    if not re.fullmatch(r"[!-~]+", os.environ["ANTHROPIC_API_KEY"].strip()):
        raise SettingError(
            "ANTHROPIC_API_KEY holds a blank, a line break or a character outside ASCII (a quotation mark from a "
            "document, perhaps), so it cannot be a key. Copy it again and set it anew."
        )
    return os.environ["ANTHROPIC_API_KEY"].strip()


def max_usd() -> float:
    """Return the ceiling on money in US dollars: ``LAB_MAX_USD``, or :data:`DEFAULT_MAX_USD`.

    Raises:
        SettingError: when it is no amount from 0.
    """
    value = os.environ.get("LAB_MAX_USD", "").strip().removeprefix("$")
    try:
        amount = float(value or DEFAULT_MAX_USD)
    except ValueError:
        amount = math.nan
    if not 0 <= amount < math.inf:
        raise SettingError(f"LAB_MAX_USD={value!r} is no amount of US dollars. Write it like LAB_MAX_USD=0.50.")
    return amount


OFFICIAL_SERVER: Final = "api.anthropic.com"


def server() -> str:
    """Return the host that a live call goes to: the API's, or the one in ``ANTHROPIC_BASE_URL``."""
    return urlsplit(os.environ.get("ANTHROPIC_BASE_URL", "").strip()).hostname or OFFICIAL_SERVER


def milvus_token() -> str:
    """Return ``MILVUS_TOKEN``, what a Milvus server wants to see; "" for none."""
    return os.environ.get("MILVUS_TOKEN", "").strip()


RECORDINGS: Final = ("a", "b", "c")
"""The shipped recordings: three, made independently, so that a row has a range and not one lucky draw."""


def recording() -> str:
    """Name the shipped recording that ``MOCK=replay`` replays: ``LAB_RECORDING``, or the first of the three."""
    return os.environ.get("LAB_RECORDING", "").strip() or RECORDINGS[0]


def replay_named() -> bool:
    """Say whether ``LAB_REPLAY`` names a file, which then is replayed instead of a shipped recording."""
    return bool(os.environ.get("LAB_REPLAY", "").strip())


def replay_file(must_be_named: bool = False) -> Path:
    """Return the file of recorded replies: ``LAB_REPLAY``, or one under ``.lab/`` in the repository.

    Another server than the official one (``ANTHROPIC_BASE_URL``: a gateway, a server for tests) gets a
    file of its own, so that its replies are never taken for the official model's.

    Raises:
        SettingError: when ``must_be_named`` and ``LAB_REPLAY`` is not set.
    """
    named = os.environ.get("LAB_REPLAY", "").strip()
    if named:
        return Path(named).expanduser()
    if must_be_named:
        raise SettingError("MOCK=replay needs a recording: set LAB_REPLAY=FILE to one.")
    host = server()
    suffix = "" if host == OFFICIAL_SERVER else "-" + re.sub(r"[^\w.-]", "_", host)
    return LAB_DIR / f"replay{suffix}.sqlite"


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
