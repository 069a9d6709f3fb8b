"""Progress: the goals of the lab, ticked off as acceptance cells pass, remembered across notebooks and sessions.

The starter track's progress stands in ``.lab/progress.json``. A run on the solution track ticks nothing
off for the student: it keeps its own progress in memory, for this kernel only, so that a notebook run
from its first cell always shows the same board.

A tick, once earned, stays when a fresh copy of a notebook is run ("not yet written"); it turns into a
cross when a later version is wrong, until the check passes again.
"""

import html
import itertools
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal, Protocol

from querylab import settings
from querylab.lesson import store

State = Literal["passed", "unfinished", "wrong"]
STATES: tuple[State, ...] = ("passed", "unfinished", "wrong")
MARKS: dict[State, str] = {"passed": "✓", "unfinished": "○", "wrong": "✗"}
BORROWED = "↩"
FILE = "progress.json"


class Verdict(Protocol):
    """What a check says; ``checks.Verdict`` is one."""

    id: str
    state: State
    message: str


@dataclass(frozen=True)
class Goal:
    """One goal: the check that proves it, what is reached, the exercise, where, and how long it takes.

    ``later`` goals belong to the notebooks after the day's product; they are counted apart.
    """

    check: str
    title: str
    exercise: str | None
    notebook: str
    minutes: int
    later: bool = False


GOALS: tuple[Goal, ...] = (
    Goal("baseline", "看懂基线：哪些指标已经到顶，多跳丢在哪里", None, "00_baseline", 25),
    Goal("follow-up", "看见照原样检索的追问什么也找不到", None, "00_baseline", 5),
    Goal("rewrite", "查询改写：追问补完整，单轮题不受影响", "rewrite", "01_rewriting", 40),
    Goal("hyde", "假设文档与原问题并列检索", "hyde", "02_hyde", 40),
    Goal("multi-query", "一次调用写出多种说法，用 RRF 融合", "multi_query", "03_multi_query", 35),
    Goal("step-back", "后退提问：最便宜的扩展", "step_back", "04_step_back", 25),
    Goal("router", "意图路由：三条路，多跳走两轮", "router", "05_router", 50),
    Goal("chit-chat", "多轮对话里闲聊不检索，道谢后的真问题照样检索", "router", "06_multi_turn", 35),
    Goal("default-config", "定下一份默认配置，不开的都有理由", "default_config", "07_ledger_and_default_config", 45),
    Goal("understanding", "一次调用听明白，坏答复也不出事", "understanding", "08_understanding", 65, later=True),
    Goal("scope-router", "规则先行、模型殿后的级联", "scope_router", "08_understanding", 45, later=True),
    Goal("sub-questions", "复合问题拆开检索", "sub_questions", "09_sub_questions", 40, later=True),
    Goal("drift-guard", "两层漂移守卫", "drift_guard", "10_drift_guard", 40, later=True),
    Goal("rewrite-cache", "不会张冠李戴的改写缓存", "rewrite_cache", "11_cache_and_deadlines", 55, later=True),
)
"""The eight acceptance checks and the product of the day, whose minutes add up to the lab's five hours; then the later
notebooks' goals."""


@dataclass(frozen=True)
class Standing:
    """Where one goal stands: the latest state, whether it ever passed, and what the check said."""

    state: State = "unfinished"
    passed: bool = False
    message: str = ""

    def after(self, state: State, message: str = "") -> "Standing":
        """Return the standing after one more verdict."""
        return Standing(state, self.passed or state == "passed", message)

    @property
    def shown(self) -> State:
        """The state to show: a tick is not taken away by a run of a fresh copy."""
        return "passed" if self.passed and self.state == "unfinished" else self.state

    @property
    def note(self) -> str:
        """What the mark alone does not say."""
        if self.state == "wrong":
            first = self.message.splitlines()[0] if self.message else ""
            return "；".join(filter(None, [first, "以前通过过" if self.passed else ""]))
        if self.state == "unfinished" and self.passed:
            return "以前通过过；现在的代码还没写完"
        return ""


@dataclass(frozen=True)
class Board:
    """All goals with their marks; a table in a notebook, lines in a terminal."""

    standings: dict[str, Standing]
    track: settings.Track = "starter"
    notices: tuple[str, ...] = ()
    borrowed: frozenset[str] = frozenset()

    @property
    def title(self) -> str:
        """How many goals are reached, and how many minutes are left of the day; the later ones beside them."""
        day, later = ([goal for goal in GOALS if goal.later is which] for which in (False, True))
        done = [goal for goal in day if self.of(goal).shown == "passed"]
        more = sum(self.of(goal).shown == "passed" for goal in later)
        left = sum(goal.minutes for goal in day) - sum(goal.minutes for goal in done)
        whose = "（solution 轨道，只算这个内核里跑过的）" if self.track == "solution" else ""
        rest = f"，剩下的大约要 {left} 分钟" if left else ""
        return f"进度{whose}：{len(done)} / {len(day)}{rest}；进阶：{more} / {len(later)}"

    def _mark(self, goal: Goal) -> str:
        """The goal's mark; ↩ while its exercise is borrowed, unless the student's own work has passed."""
        shown = self.of(goal).shown
        return BORROWED if goal.exercise in self.borrowed and shown != "passed" else MARKS[shown]

    def _note(self, goal: Goal) -> str:
        return "借用参考答案" if self._mark(goal) == BORROWED else self.of(goal).note

    def of(self, goal: Goal) -> Standing:
        """Return where one goal stands."""
        return self.standings.get(goal.check, Standing())

    def __str__(self) -> str:
        rows = [(goal.check, goal.exercise or "–", goal.notebook, f"{goal.minutes:3} 分钟") for goal in GOALS]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [self.title, *self.notices]
        for goal, row in zip(GOALS, rows, strict=True):
            cells = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            note = f"（{self._note(goal)}）" if self._note(goal) else ""
            note = f"（进阶）{note}" if goal.later else note
            lines.append(f"  {self._mark(goal)} {cells}  {goal.title}{note}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        heads = ("", "目标", "验收", "练习", "笔记本", "分钟")
        rows = []
        for goal in GOALS:
            said = html.escape(self._note(goal))
            note = f'<br><small style="opacity:.75">{said}</small>' if said else ""
            cells = (
                self._mark(goal),
                html.escape(goal.title) + ("（进阶）" if goal.later else "") + note,
                f"<code>{goal.check}</code>",
                f"<code>{goal.exercise}</code>" if goal.exercise else "–",
                f'<a href="{goal.notebook}.ipynb">{goal.notebook}</a>',
                str(goal.minutes),
            )
            rows.append("".join(f'<td style="text-align:left">{cell}</td>' for cell in cells))
        head = "".join(f'<th style="text-align:left">{name}</th>' for name in heads)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        notices = "".join(f"<div>{html.escape(text)}</div>" for text in self.notices)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"<div><b>{html.escape(self.title)}</b>{notices}{table}</div>"


@dataclass(frozen=True)
class Passed:
    """What stands under a pass: how far one is, what comes next with a link, and the whole board folded away."""

    board: Board
    next: Goal | None

    def __str__(self) -> str:
        if self.next is None:
            return f"{self.board.title}。全部完成。"
        return (
            f"{self.board.title}\n下一步：{self.next.title}（{self.next.notebook}.ipynb，约 {self.next.minutes} 分钟）"
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        ahead = "全部完成。"
        if self.next is not None:
            link = f'<a href="{self.next.notebook}.ipynb">{self.next.notebook}</a>'
            ahead = f"下一步：{link}　{html.escape(self.next.title)}（约 {self.next.minutes} 分钟）"
        whole = f"<details><summary>全部目标</summary>{self.board._repr_html_()}</details>"
        return f'<div style="text-align:left"><b>{html.escape(self.board.title)}</b><br>{ahead}{whole}</div>'


_this_kernel: dict[str, Standing] = {}


def record(check_id: str, state: State, message: str = "", track: settings.Track | None = None) -> list[str]:
    """Remember what a check said.

    Args:
        check_id: one of the goals' checks.
        state: passed, unfinished or wrong.
        message: what the check said; its first line stands on the board when it was wrong.
        track: whose work was checked; the environment's when None.

    Returns:
        Sentences for the student (a damaged file was set aside, a folder is read-only); mostly none.

    Raises:
        KeyError: for an unknown check.
        ValueError: for an unknown state.
    """
    known = [goal.check for goal in GOALS]
    if check_id not in known:
        raise KeyError(f"No goal has the check {check_id!r}. Known: {', '.join(known)}.")
    if state not in STATES:
        raise ValueError(f"A state is one of {', '.join(STATES)}, found {state!r}.")
    if (track or settings.track()) == "solution":
        _this_kernel[check_id] = _this_kernel.get(check_id, Standing()).after(state, message)
        return []

    def change(data: store.Data) -> None:
        data[check_id] = asdict(Standing(**data.get(check_id, {})).after(state, message))

    return store.update(FILE, _valid, change)


def record_all(verdicts: Iterable[Verdict], track: settings.Track | None = None) -> list[str]:
    """Remember several verdicts; see :func:`record`."""
    notices = [record(verdict.id, verdict.state, verdict.message, track) for verdict in verdicts]
    return list(dict.fromkeys(itertools.chain.from_iterable(notices)))


def board(
    verdicts: Iterable[Verdict] = (),
    track: settings.Track | None = None,
    notices: Iterable[str] = (),
    borrowed: Iterable[str] = (),
) -> Board:
    """Show where the goals stand.

    Args:
        verdicts: fresh verdicts, shown on top of what is remembered; they are not remembered by this.
        track: starter (what is remembered) or solution (this kernel only); the environment's when None.
        notices: sentences to show with it.
        borrowed: exercises that are taken from the reference at the moment.
    """
    track = track or settings.track()
    standings, told = dict(_this_kernel), []
    if track == "starter":
        data, told = store.read(FILE, _valid)
        standings = {check_id: Standing(**entry) for check_id, entry in data.items()}
    for verdict in verdicts:
        standings[verdict.id] = standings.get(verdict.id, Standing()).after(verdict.state, verdict.message)
    return Board(standings, track, (*notices, *told), frozenset(borrowed))


def passed(check_id: str, track: settings.Track | None = None, borrowed: Iterable[str] = ()) -> Passed:
    """Say how far one is after a pass: the next goal is the first one after this that is not reached yet.

    Args:
        check_id: the check that has just passed.
        track: whose progress.
        borrowed: exercises taken from the reference; the board marks them.
    """
    shown = board(track=track, borrowed=borrowed)
    here = [goal.check for goal in GOALS].index(check_id)
    ahead = [goal for goal in (*GOALS[here + 1 :], *GOALS[:here]) if shown.of(goal).shown != "passed"]
    return Passed(shown, ahead[0] if ahead else None)


def _valid(data: store.Data) -> bool:
    fields = set(asdict(Standing()))
    return all(isinstance(entry, dict) and set(entry) == fields and entry["state"] in STATES for entry in data.values())
