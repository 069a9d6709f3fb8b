"""Which techniques are on: the switches, and one named configuration for every row that can be measured.

In: names and switches. Out: a frozen :class:`Config`, checked when it is made. The switches stand in groups, each with
the notebook that teaches it; the rows stand below them, in the order in which the notebooks add them.
"""

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from querylab import settings
from querylab.corpus.model import Corpus
from querylab.types import Budgets

HydeArm = Literal["both", "vector", "published"]


@dataclass(frozen=True)
class Config:
    """Which techniques are on. Budgets are the corpus manifest's unless given here.

    Attributes:
        name: how the ledger calls it.

        rewrite: 01: ``off``, ``always``, or ``needed`` (only when ``needs_rewrite`` says so).
        hyde: 02: search an invented passage too.
        hyde_arm: 02, control: where the draft is searched: beside the question on ``both`` routes; beside it on the
            ``vector`` route alone; as ``published``, on the vector route instead of the question.
        multi_query: 03: search other wordings of a single-hop question too.
        step_back: 04: search the question one level up too.

        router: 05: classify first, and take one of three paths.
        wide_multi_hop: 05: give a multi-hop question the corpus's larger context budget.
        safety_net: 05, control: when a routed question comes to nothing, try a second hop; when a direct reply tells
            figures, search after all.

        gate: 00, control: False admits every candidate, whatever its scores.
        budget, multi_hop_budget: 00: tokens, in place of the manifest's.

        understanding: 08: make an understanding first, by one call (``merged``) or by five (``separate``), and let
            it choose the path. It rewrites and routes by itself.
        tier0: 08: before that, decide by rule what needs no call.
        signals: 08: after that, let sentence forms raise the complexity.
        hyde_when_fuzzy: 08: on the planned search, invent a passage for a FUZZY question only, for the vector
            route only; a PRECISE one gets an exact keyword search.

        sub_questions: 09: split a question that asks several things; its parts are searched with it, in the multi-hop
            budget when there are several.
        guard: 10: judge what every technique writes for drift: rejected, the question itself is searched; slight, it
            is searched too.
        line_limit: 10: characters that one rewritten line may have (not a HyDE draft).
        cache: 11: look a rewrite up before asking for it (``Lab.cache``).
        deadline: 11: seconds that one rewriting step may take, on the question's clock.
        beside: 11: search the question as typed while it is being rewritten, and fuse.
        in_turn: 11, control: make the expansions one after the other.
    """

    name: str = "custom"
    # 01 to 04: one sentence becomes another, or several.
    rewrite: Literal["off", "always", "needed"] = "off"
    hyde: bool = False
    multi_query: bool = False
    step_back: bool = False
    # 05: three paths.
    router: bool = False
    wide_multi_hop: bool = False
    # 08: one understanding, four paths.
    understanding: Literal["off", "merged", "separate"] = "off"
    tier0: bool = False
    signals: bool = False
    hyde_when_fuzzy: bool = False
    # 09 to 11: several questions in one, drift, and time.
    sub_questions: bool = False
    guard: bool = False
    cache: bool = False
    beside: bool = False
    in_turn: bool = False
    line_limit: int | None = None
    deadline: float | None = None
    # 00 and the controls: what stays the same for every technique.
    budget: int | None = None
    multi_hop_budget: int | None = None
    gate: bool = True
    safety_net: bool = True
    hyde_arm: HydeArm = "both"

    def __post_init__(self) -> None:
        faults = itertools.chain(self._unknown_words(), self._contradictions(), self._unusable_numbers())
        for fault in faults:
            raise ValueError(fault)

    def _unknown_words(self) -> Iterable[str]:
        if self.rewrite not in ("off", "always", "needed"):
            yield f"rewrite is 'off', 'always' or 'needed', found {self.rewrite!r}."
        if self.understanding not in ("off", "merged", "separate"):
            yield f"understanding is 'off', 'merged' or 'separate', found {self.understanding!r}."
        if self.hyde_arm not in ("both", "vector", "published"):
            yield f"hyde_arm is 'both', 'vector' or 'published', found {self.hyde_arm!r}."

    def _contradictions(self) -> Iterable[str]:
        if self.understanding == "off" and (self.tier0 or self.signals or self.hyde_when_fuzzy):
            yield "tier0, signals and hyde_when_fuzzy need an understanding: set understanding='merged'."
        if self.understanding != "off" and (self.router or self.rewrite != "off"):
            yield "An understanding rewrites and routes by itself: leave rewrite and router off."
        if self.beside and self.rewrite == "off":
            yield "beside searches the question beside its rewrite: set rewrite='always' or 'needed'."
        if self.understanding != "off" and (self.sub_questions or self.in_turn):
            yield "An understanding chooses its own searches: leave sub_questions and in_turn off."
        if self.hyde_arm != "both" and (not self.hyde or self.multi_query):
            yield (
                "hyde_arm says which route searches the draft: it needs hyde=True, and multi_query=False, "
                "because multi_query_search sends every text to both routes."
            )

    def _unusable_numbers(self) -> Iterable[str]:
        if self.line_limit is not None and not (type(self.line_limit) is int and self.line_limit >= 1):
            yield f"line_limit is a number of characters from 1, or None, found {self.line_limit!r}."
        if self.deadline is not None and not (type(self.deadline) in (int, float) and self.deadline > 0):
            yield f"deadline is a number of seconds above 0, or None, found {self.deadline!r}."
        for name in ("budget", "multi_hop_budget"):
            value = getattr(self, name)
            if value is not None and not (type(value) is int and value >= 0):
                yield f"{name} is a whole number of tokens or None, found {value!r}."

    @property
    def expands(self) -> bool:
        """True when one of the expansions of 02 to 04 is on."""
        return self.hyde or self.multi_query or self.step_back

    def budgets(self, corpus: Corpus) -> Budgets:
        """Work out the two budgets for one corpus."""
        default = corpus.budgets.default if self.budget is None else self.budget
        wide = corpus.budgets.multi_hop if self.multi_hop_budget is None else self.multi_hop_budget
        return Budgets(default, wide if self.wide_multi_hop else default)


# ── The ledger's rows: notebooks 00 to 07 ───────────────────────────────────────────────────────
BASELINE = Config("baseline")
REWRITE_ALWAYS = Config("rewrite (always)", rewrite="always")
REWRITE_NEEDED = Config("rewrite (when needed)", rewrite="needed")
HYDE = Config("HyDE", hyde=True)
MULTI_QUERY = Config("multi-query", multi_query=True)
STEP_BACK = Config("step-back", step_back=True)
ROUTER = Config("router", router=True)
ROUTER_WIDE = Config("router + multi-hop budget", router=True, wide_multi_hop=True)
EVERYTHING = Config(
    "everything on",
    rewrite="always",
    hyde=True,
    multi_query=True,
    step_back=True,
    router=True,
    wide_multi_hop=True,
)
NAMED: tuple[Config, ...] = (
    BASELINE,
    REWRITE_ALWAYS,
    REWRITE_NEEDED,
    HYDE,
    MULTI_QUERY,
    STEP_BACK,
    ROUTER,
    ROUTER_WIDE,
    EVERYTHING,
)
"""One configuration for each row of the ledger; the student's default is the tenth."""

# ── Further rows, beside the ledger ─────────────────────────────────────────────────────────────
UNDERSTANDING_ROWS: tuple[Config, ...] = (
    Config("five calls", understanding="separate", wide_multi_hop=True),
    Config("one call", understanding="merged", wide_multi_hop=True),
    Config("one call + tier 0", understanding="merged", tier0=True, wide_multi_hop=True),
    Config("one call + signals", understanding="merged", signals=True, wide_multi_hop=True),
    Config("one call + tier 0 + signals", understanding="merged", tier0=True, signals=True, wide_multi_hop=True),
    Config(
        "one call + HyDE when fuzzy",
        understanding="merged",
        tier0=True,
        signals=True,
        hyde_when_fuzzy=True,
        wide_multi_hop=True,
    ),
)
"""Rows of notebook 08."""

_THREE = Config(hyde=True, step_back=True, sub_questions=True, wide_multi_hop=True)
HEAVIER_ROWS: tuple[Config, ...] = (
    Config("sub-questions", sub_questions=True),
    Config("sub-questions + multi-hop budget", sub_questions=True, wide_multi_hop=True),
    Config("sub-questions + multi-query", sub_questions=True, multi_query=True, wide_multi_hop=True),
    Config("rewrite + guard", rewrite="always", guard=True),
    Config("multi-query + guard", multi_query=True, guard=True),
    Config("one call + guard", understanding="merged", guard=True, wide_multi_hop=True),
    Config("rewrite, 30 characters", rewrite="always", line_limit=settings.REWRITE_CHARACTERS),
    Config("rewrite, raw beside it", rewrite="always", beside=True),
    replace(_THREE, name="three rewrites in turn", in_turn=True),
    replace(_THREE, name="three rewrites at once"),
    replace(_THREE, name="three rewrites at once + guard", guard=True),
    Config(
        "everything heavier",
        rewrite="always",
        hyde=True,
        multi_query=True,
        step_back=True,
        router=True,
        wide_multi_hop=True,
        sub_questions=True,
        guard=True,
        beside=True,
    ),
)
"""Rows of notebooks 09 to 11."""

CONTROL_ROWS: tuple[Config, ...] = (
    Config("gate open", gate=False),
    replace(HYDE, name="HyDE, gate open", gate=False),
    replace(MULTI_QUERY, name="multi-query, gate open", gate=False),
    replace(STEP_BACK, name="step-back, gate open", gate=False),
    replace(HYDE, name="HyDE as published", hyde_arm="published"),
    replace(HYDE, name="HyDE beside, vector route", hyde_arm="vector"),
    replace(HYDE, name="HyDE beside, both routes"),
    Config("baseline, multi-hop budget", budget=settings.MULTI_HOP_BUDGET),
    replace(ROUTER_WIDE, name="router + budget, no safety net", safety_net=False),
)
"""What a gain is held against: the gate open, the draft on other routes, an equal budget, the router without its net.
None of them makes a call that its row does not make."""

MORE_ROWS: dict[str, tuple[Config, ...]] = {
    "understanding": UNDERSTANDING_ROWS,
    "heavier": HEAVIER_ROWS,
    "controls": CONTROL_ROWS,
}
"""Further rows, by the name that ``python -m querylab ledger --rows`` takes."""

DEFAULT_NAME = "your default"
"""How the ledger calls the configuration that the student chose."""


def named(name: str) -> Config | None:
    """Find a row by its ledger name; case, spaces, brackets and hyphens do not matter. None when there is none."""
    return next((config for config in all_rows() if plain(config.name) == plain(name)), None)


def all_rows() -> list[Config]:
    """List every row that has a name, the ledger's first."""
    return [*NAMED, *itertools.chain.from_iterable(MORE_ROWS.values())]


def plain(name: str) -> str:
    """Bring a row's name into the form in which it is looked up."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())
