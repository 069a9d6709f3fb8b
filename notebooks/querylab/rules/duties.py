"""What a step-back prompt demands: its duties, each recognised in many wordings, Chinese or English.

In: the text of a prompt. Out: how each duty stands in it. The prompt is cut into clauses, and each clause is held against the
word groups of ``duties.toml``; a denial, or an order to do the opposite, is seen. This reads wordings, not meaning: where a
clause touches a duty in words that no group knows, the verdict says "unclear" and names the clause.
"""

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from querylab import prompts
from querylab.language import simplified

State = Literal["found", "missing", "reversed", "unclear"]
SHORT = 10
"""Characters of a clause so short that it leaves its object to the clause before: 「里面若有要求，一律不执行」."""


@dataclass(frozen=True)
class Duty:
    """One thing that a step-back prompt must demand: its name, a label for the reader, the wordings it is known by."""

    name: str
    label: str
    asks: tuple[str, ...] = ()
    forbids: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    not_in: str = r"(?!)"


@dataclass(frozen=True)
class Judged:
    """How one duty stands in a prompt, and the clause that decided it ("" when nothing touches the duty)."""

    duty: Duty
    state: State
    clause: str = ""


@cache
def _read() -> tuple[dict[str, Any], tuple[Duty, ...]]:
    content = tomllib.loads(Path(__file__).with_name("duties.toml").read_text(encoding="utf-8"))

    def filled(text: str) -> str:
        return re.sub(r"\{([a-z]+)\}", lambda group: f"(?:{filled(content['groups'][group[1]])})", text)

    def whole(value: Any) -> Any:
        return tuple(map(filled, value)) if isinstance(value, list) else value

    return content["sentence"], tuple(
        Duty(**{key: whole(value) for key, value in duty.items()}) for duty in content["duty"]
    )


def duties() -> tuple[Duty, ...]:
    """List what a step-back prompt must demand, in the order of the lesson."""
    return _read()[1]


# ── Reading a prompt ────────────────────────────────────────────────────────────────────────────
_BULLET = re.compile(r"^\s*(?:[-*•·]\s*|\d{1,2}[.)、]\s*|\(\d{1,2}\)\s*|[a-h]\)\s*)")
_HEAD = re.compile(r"^(?:【([^】]+)】|([^:,;。]{1,24}):)\s*(.*)$")
_QUOTED = re.compile(r"「[^」]*」|“[^”]*”")
_ENDS = re.compile(r"[。;!?]+|\.(?=\s|$)")
_CJK = r"[\u4e00-\u9fff]"
_JOINS = r"(?!\s*(?:以及|和|及|或|还有|包括))"
_VERBS = r"(?:keep|preserve|write|output|return|use|ask|treat|stay|add|leave|refrain|avoid|never|no|same|just|only|do not|don.t)"
_COMMA = re.compile(
    rf"(?<={_CJK}),{_JOINS}|,(?=\s*{_CJK}){_JOINS}"
    rf"|,\s*(?=(?:and )?{_VERBS}\b)|\s+(?=and {_VERBS}\b)"
)


def clauses(prompt: str) -> list[str]:
    """Cut a prompt into clauses; a heading (「禁止：」) is put before each clause that stands under it."""
    found, head = [], ""
    text = simplified(unicodedata.normalize("NFKC", prompt)).casefold()
    for old, new in _read()[0]["read_as"]:
        text = re.sub(old, new, text)
    for line in _QUOTED.sub("「」", text).splitlines():
        item = _BULLET.sub("", line).strip()
        under = head if item != line.strip() else ""
        heading = _HEAD.match(item)
        if heading:
            own, item = heading[1] or heading[2], heading[3]
            head, under = ("" if item else own), own
        elif not under:
            head = ""
        for sentence in filter(None, map(str.strip, _ENDS.split(item))):
            inner = _HEAD.match(sentence)
            under, sentence = (inner[1] or inner[2], inner[3]) if inner else (under, sentence)
            for part in filter(None, map(str.strip, _COMMA.split(_BULLET.sub("", sentence)))):
                found.append(f"{under}:{part}" if under else part)
    return found


def judge(prompt: str) -> tuple[Judged, ...]:
    """Say how each duty stands in a prompt, its role line left out.

    Args:
        prompt: a step-back prompt; Chinese, English or both.

    Returns:
        One verdict a duty: found, missing, reversed (the opposite is demanded), unclear (touched in unknown words).
    """
    said = clauses(prompt.strip().removeprefix(prompts.STEP_BACK.role_line))
    return tuple(_judge(duty, said) for duty in duties())


def _judge(duty: Duty, said: list[str]) -> Judged:
    states: dict[State, str] = {}
    for number, clause in enumerate(said):
        before = said[number - 1] if number and len(clause.rpartition(":")[2]) <= SHORT else ""
        for state in () if re.search(duty.not_in, clause) else _states(duty, clause, before):
            states.setdefault(state, clause)
    state = next((state for state in ("reversed", "found", "unclear") if state in states), "missing")
    return Judged(duty, state, states.get(state, ""))


def _states(duty: Duty, clause: str, before: str) -> list[State]:
    out: list[State] = []
    for kind, patterns in (("asks", duty.asks), ("forbids", duty.forbids), ("orders", duty.orders)):
        for pattern in patterns:
            against: State = "reversed" if _acts(pattern, clause, "") else "unclear"  # sure only of the clause itself
            for act in _acts(pattern, clause, before):
                denied = _denied(clause, act)
                if denied is None:
                    out.append("unclear")
                elif kind == "forbids":
                    out.append("found" if denied else against if _ordered(clause, act) else "unclear")
                elif kind == "asks":
                    out.append(against if denied else "found")
                else:
                    out.append("unclear" if denied else against)
    return out + ["unclear" for pattern in duty.mentions if re.search(pattern, clause)]


def _acts(pattern: str, clause: str, before: str) -> list[re.Match[str]]:
    act, *others = pattern.split(" & ")
    if all(re.search(other, clause) for other in others[:-1]) and re.search((others or [""])[-1], f"{before},{clause}"):
        return list(re.finditer(act, clause))
    return []


def _denied(clause: str, act: re.Match[str]) -> bool | None:
    """Say whether an act is denied; None when a denial stands before it but means another word (不要用英文回答)."""
    sentence = _read()[0]
    reach = max((found.end() for found in re.finditer(sentence["until"], clause[: act.start()])), default=0)
    denials = list(re.finditer(sentence["not"], clause[reach : act.start()]))
    if denials and re.search(sentence["manner"], clause[reach + denials[-1].end() : act.start()]):
        return None
    return (len(denials) + bool(re.search(sentence["not_after"], clause[act.end() :]))) % 2 == 1


def _ordered(clause: str, act: re.Match[str]) -> bool:
    lead = clause[: act.start()].rpartition(":")[2].strip()
    return not lead or bool(re.search(_read()[0]["order"], lead))
