"""Money: what a call cost, what the next one may cost at most, and the purse that says stop.

All amounts are US dollars.
"""

import json
from dataclasses import dataclass
from typing import Any

from querylab import settings
from querylab.models.reply import BudgetReached
from querylab.text import count_tokens


def tokens(usage: Any, *names: str) -> int:
    """Add up some counts of an ``anthropic.types.Usage``; a count that is missing, or no number, is 0."""
    counts = (getattr(usage, name, None) for name in names)
    return sum(count for count in counts if isinstance(count, int))


def cost_usd(model: str, usage: Any) -> float:
    """Price the tokens of one reply, cached ones included.

    Args:
        model: a name in :data:`settings.PRICES`.
        usage: ``anthropic.types.Usage``; its ``input_tokens`` are those outside the cache.

    Raises:
        SettingError: for a model without a price.
    """
    into, out = settings.price(model)
    given = (
        tokens(usage, "input_tokens")
        + settings.CACHE_WRITE_FACTOR * tokens(usage, "cache_creation_input_tokens")
        + settings.CACHE_READ_FACTOR * tokens(usage, "cache_read_input_tokens")
    )
    return (given * into + tokens(usage, "output_tokens") * out) / 1_000_000


def estimate_input_tokens(request: dict[str, Any]) -> int:
    """Estimate the input tokens of a request, generously: the texts' tokens by rule, times 1.3."""
    sent = [request.get("system") or "", *_contents(request.get("messages"))]
    sent += [request[name] for name in ("tools", "output_config") if request.get(name)]
    texts = [part if isinstance(part, str) else json.dumps(part, ensure_ascii=False, default=str) for part in sent]
    return round(settings.TOKENIZER_FACTOR * sum(count_tokens(text) for text in texts)) + 10


def _contents(messages: Any) -> list[Any]:
    return [item.get("content") or "" for item in messages or () if isinstance(item, dict)]


def at_most_usd(request: dict[str, Any]) -> float:
    """Estimate what one try of a request can cost at most: its input, and output up to ``max_tokens``.

    Raises:
        SettingError: for a model without a price.
    """
    into, out = settings.price(request["model"])
    limit = request["max_tokens"] if isinstance(request["max_tokens"], int) else 0  # the API refuses anything else
    return (estimate_input_tokens(request) * into + max(0, limit) * out) / 1_000_000


@dataclass
class Purse:
    """Money for one process: a call reserves the most it can cost, and pays what it did cost.

    Attributes:
        limit: the ceiling; ``LAB_MAX_USD`` at the moment of each call when None.
        spent: paid for replies that came, by their own usage figures.
        unsettled: the most that tries without a reply (timed out, connection lost) may have cost. Nobody
            says whether they are charged, so the ceiling counts them; no column shows them as cost.
        reserved: set aside for calls in flight.
    """

    limit: float | None = None
    spent: float = 0.0
    unsettled: float = 0.0
    reserved: float = 0.0

    @property
    def ceiling(self) -> float:
        """The most that may be spent."""
        return settings.max_usd() if self.limit is None else self.limit

    def reserve(self, usd: float) -> None:
        """Set the most that a call can cost aside.

        Raises:
            BudgetReached: when it might not fit under the ceiling.
        """
        if self.spent + self.unsettled + self.reserved + usd > self.ceiling:
            unsure = f" and up to ${self.unsettled:.4f} for tries without a reply" if self.unsettled else ""
            raise BudgetReached(
                f"the ceiling of ${self.ceiling:g} is reached: ${self.spent:.4f} spent{unsure}, and the next call may "
                f"cost up to ${usd:.4f}. Raise it with LAB_MAX_USD and run again: what has been answered is recorded "
                "and costs nothing"
            )
        self.reserved += usd

    def settle(self, reserved: float, spent: float, unsettled: float) -> None:
        """Give a reservation back and pay."""
        self.reserved = max(0.0, self.reserved - reserved)
        self.spent += spent
        self.unsettled += unsettled


PURSE = Purse()
"""The purse of this process: every live client that is not given another shares it."""
