"""What a live run will cost, before anything is spent: the same questions, asked of the offline rules.

The rules make the calls that the live model would get; their tokens are priced at the live model's
prices. It is an estimate: the live model writes other replies, counts other tokens (a factor of
``settings.TOKENIZER_FACTOR`` is in it), and may route questions otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from querylab import settings
from querylab.corpus.model import Question
from querylab.measure.evaluate import evaluate
from querylab.models import money, requests
from querylab.pipeline.config import Config
from querylab.pipeline.lab import Lab, default_lab
from querylab.rules.client import MockClient


@dataclass(frozen=True)
class Estimate:
    """What one configuration, or a whole run, will cost.

    Attributes:
        config: name in the ledger; ``total`` for the sum.
        calls: model calls on the query side.
        new_calls: those that no earlier row of the run has made: the others are replayed, free of charge.
        input_tokens, output_tokens: expected for the new calls.
        usd: US dollars expected for them.
        at_most_usd: the same if every reply filled its token limit.
    """

    config: str
    calls: int
    new_calls: int
    input_tokens: int
    output_tokens: int
    usd: float
    at_most_usd: float


async def estimate_cost(
    configs: Sequence[Config], questions: Sequence[Question] | None = None, lab: Lab | None = None
) -> list[Estimate]:
    """Estimate what evaluating some configurations with the live model costs; spends nothing.

    Args:
        configs: in the order in which they will be evaluated.
        questions: labelled questions; the corpus's own when None.
        lab: the lab whose corpus and techniques are used; the default one when None.

    Returns:
        One estimate for each configuration and last the ``total``, for the model ``LAB_MODEL``. Calls
        that a recording already holds are not known here: they make the run cheaper still.

    Raises:
        SettingError: for a model without a price; and what :func:`querylab.evaluate.evaluate` raises.
    """
    client = _Counting()
    lab = replace(lab or default_lab(), client=client)
    rows = []
    for config in configs:
        client.calls, client.new = 0, []
        await evaluate(config, questions, lab)
        rows.append(client.estimate(config.name))
    sums = [sum(getattr(row, name) for row in rows) for name in Estimate.__dataclass_fields__ if name != "config"]
    return [*rows, Estimate("total", *sums)]


class _Counting:
    """The offline rules, counting every call and keeping the tokens of those not made before."""

    modelled = True

    def __init__(self) -> None:
        self.calls = 0
        self.new: list[tuple[dict[str, Any], int]] = []
        self.messages = self
        self._known: set[str] = set()
        self._rules = MockClient()

    async def create(self, **request: Any) -> Any:
        """Answer by rule."""
        message = await self._rules.messages.create(**request)
        self.calls += 1
        form = requests.canonical(request)
        if form is None or form not in self._known:
            self.new.append((request, message.usage.output_tokens))
            self._known.add(form or "")
        return message

    def estimate(self, name: str) -> Estimate:
        """Price what was counted."""
        into, out = settings.price(settings.model())
        given = sum(money.estimate_input_tokens(request) for request, _ in self.new)
        written = round(settings.TOKENIZER_FACTOR * sum(tokens for _, tokens in self.new))
        usd = (given * into + written * out) / 1_000_000
        most = sum(money.at_most_usd(request) for request, _ in self.new)
        return Estimate(name, self.calls, len(self.new), given, written, usd, most)
