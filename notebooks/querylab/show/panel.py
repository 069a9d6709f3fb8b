"""A panel of switches: choose techniques and a question, and see trace, answer and ledger row at once.

    p = panel.panel(lab)                          # the last expression of a cell shows it
    await panel.table(lab, config, question)      # the same as tables, where widgets do not render

A change starts one run in the notebook's own event loop; a later change takes its place, so two runs
never overlap and the last one wins. ipywidgets is imported when a panel is made.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any

from querylab import show
from querylab.models.protocol import modelled
from querylab.pipeline.config import BASELINE, NAMED, Config
from querylab.pipeline.lab import Lab
from querylab.pipeline.techniques import Unfinished
from querylab.show import labels
from querylab.show.controls import Controls
from querylab.show.kept_rows import KeptRows, examples
from querylab.show.page import Heading, Note, Page
from querylab.types import Turn

log = logging.getLogger("querylab")

NAME = "面板"
"""How the ledger calls a combination of switches that has no name of its own."""


async def table(lab: Lab, config: Config = BASELINE, question: str | None = None, history: Sequence[Turn] = ()) -> Page:
    """Show what the panel shows, without widgets: the trace of one question, then the row against the baseline.

    Args:
        lab: the lab to ask.
        config: which techniques are on.
        question: what to ask; the corpus's first question when None.
        history: the conversation before it.

    Raises:
        Unfinished: when a technique that is on has not been written yet.
    """
    text = lab.corpus.questions[0].question if question is None else question
    trace = await lab.ask(text, history, config)
    page = show.trace(trace, lab.corpus, modelled=modelled(lab.client))
    if lab.corpus.questions:
        page += Page((Heading("账本：这一行对基线"),)) + await KeptRows(lab).against_baseline(config)
    return page


def panel(lab: Lab) -> "Panel":
    """Make the panel of one lab. With the offline rules it runs at once, and again at every change."""
    return Panel(lab)


class Panel(Controls):
    """The panel. Set the ``value`` of a switch as a hand would, then ``await panel.settled()``.

    Attributes:
        rewrite, hyde, multi_query, step_back, router, wide: the switches.
        budget, multi_hop_budget: sliders, tokens.
        example, question, with_history: what is asked.
        measure: with a live model, whether the ledger row may be paid for.
        status, output, ledger: what came of it, as HTML.
        box: the whole widget.
    """

    def __init__(self, lab: Lab) -> None:
        import ipywidgets as widgets

        self.lab = lab
        self.examples = examples(lab)
        self._rows = KeptRows(lab)
        self._task: asyncio.Task[None] | None = None
        self._one_at_a_time = asyncio.Lock()
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None
        self._build(widgets)
        self._describe_history()
        self._changed()

    # ── what is chosen ──────────────────────────────────────────────────────────────────────────
    @property
    def config(self) -> Config:
        """The configuration that the switches spell; under its ledger name when it has one."""
        budgets = self.lab.corpus.budgets
        config = Config(
            name=NAME,
            rewrite=self.rewrite.value,
            hyde=self.hyde.value,
            multi_query=self.multi_query.value,
            step_back=self.step_back.value,
            router=self.router.value,
            wide_multi_hop=self.wide.value,
            budget=None if self.budget.value == budgets.default else self.budget.value,
            multi_hop_budget=None if self.multi_hop_budget.value == budgets.multi_hop else self.multi_hop_budget.value,
        )
        return next((named for named in NAMED if replace(named, name=NAME) == config), config)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The conversation that goes with the question."""
        chosen = self.example.value
        return self.examples[chosen].history if chosen is not None and self.with_history.value else ()

    def _chosen(self, change: Any) -> None:
        if change["new"] is not None:
            with _Unobserved(self.question, self._changed):  # or the box would start a second run
                self.question.value = self.examples[change["new"]].question
        self._changed()

    def _describe_history(self) -> None:
        chosen = self.example.value
        turns = self.examples[chosen].history if chosen is not None else ()
        said = "<br>".join(
            f"{'用户' if turn['role'] == 'user' else '助手'}：{escape(turn['content'])}" for turn in turns
        )
        faint = "" if self.with_history.value else ";text-decoration:line-through"
        self.history.value = f'<div style="opacity:.7;line-height:1.5{faint}">{said}</div>' if said else ""
        self.with_history.layout.visibility = "visible" if said else "hidden"

    # ── running ─────────────────────────────────────────────────────────────────────────────────
    def _changed(self, change: Any = None) -> None:
        """Start a run in the loop that the panel was made in, whichever thread the event came from."""
        self._describe_history()
        try:
            here: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        if self._loop is None:
            self._loop = here
        if self._loop is None or self._loop.is_closed():
            self.status.value = _status("○", "这里没有在运行的事件循环：请在笔记本里用这个面板。")
        elif here is self._loop:
            self._start()
        else:  # JupyterLab may deliver widget events in a thread beside the one that runs cells
            self._loop.call_soon_threadsafe(self._start)

    def _start(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self.status.value = _status("…", f"正在跑：{labels.config(self.config.name)}")
        assert self._loop is not None
        self._task = self._loop.create_task(self._run())

    async def settled(self) -> None:
        """Wait until no run is under way, including one that a change starts in the meantime."""
        await asyncio.sleep(0)
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])
            await asyncio.sleep(0)

    async def _run(self) -> None:
        async with self._one_at_a_time:  # a run that was cancelled may still be ending
            await self._show()

    async def _show(self) -> None:
        config, question, turns = self.config, self.question.value.strip(), self.turns
        try:
            if not question:
                self.output.value = ""
                self.status.value = _status("○", "先输入一个问题。")
                return
            trace = await self.lab.ask(question, turns, config)
            self.output.value = show.trace(trace, self.lab.corpus, modelled=modelled(self.lab.client))._repr_html_()
            await self._measure(config)
            self.status.value = _status("✓", f"跑完：{labels.config(config.name)}")
        except Exception as error:  # whatever a student's code raises belongs into the panel, not into a log
            self._failed(error)

    async def _measure(self, config: Config) -> None:
        if not self.lab.corpus.questions:
            self.ledger.value = ""
        elif self.measure.value or (self._rows.known(config) and self._rows.known(BASELINE)):
            self.ledger.value = (await self._rows.against_baseline(config))._repr_html_()
            if not modelled(self.lab.client):
                with _Unobserved(self.measure, self._changed):
                    self.measure.value = False  # one press pays for one row
        else:
            n = len(self.lab.corpus.questions)
            words = f"真实模型：按下「算账本这一行」，才会把 {n} 题都问一遍（要花钱）。"
            self.ledger.value = Page((Note(words),))._repr_html_()

    def _failed(self, error: BaseException) -> None:
        while isinstance(error, BaseExceptionGroup) and error.exceptions:
            error = error.exceptions[0]
        self.output.value = self.ledger.value = ""
        if isinstance(error, Unfinished):
            self.status.value = _status("○", f"尚未完成 — {error} 别的开关照样可以试。")
        else:
            log.debug("the panel's run failed", exc_info=error)
            self.status.value = _status("✗", f"出错了：{type(error).__name__}: {error}")

    # ── showing ─────────────────────────────────────────────────────────────────────────────────
    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        bundle = self.box._repr_mimebundle_(include=include, exclude=exclude)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**data, "text/plain": str(self), "text/html": self._repr_html_()}, metadata

    def _repr_html_(self) -> str:
        return Page((Note(str(self), ""),))._repr_html_()

    def __str__(self) -> str:
        return (
            "这里本来是一个可以拨开关的面板（ipywidgets）。看不到它，就用表格：await panel.table(lab, config, question)"
        )

    __repr__ = __str__


class _Unobserved:
    """Take an observer off a widget for a moment."""

    def __init__(self, widget: Any, observer: Any) -> None:
        self.widget, self.observer = widget, observer

    def __enter__(self) -> None:
        self.widget.unobserve(self.observer, "value")

    def __exit__(self, *error: object) -> None:
        self.widget.observe(self.observer, "value")


def _status(mark: str, words: str) -> str:
    return f'<div role="status" style="line-height:1.5;padding:.3em 0"><b>{mark}</b> {escape(words)}</div>'
