"""Verdicts of the day at several places: what held, what turned round, what is not shown."""

from collections.abc import Sequence

from querylab.measure.elsewhere import Finding, verdict
from querylab.show import labels
from querylab.show.page import Cell, Note, Page, Row, Table, Words

WORDS = {"holds": "站得住", "turns round": "反转", "not shown": "没有显出来"}
NOTE = (
    "每格是和基线的差，方括号里是 95% 区间（对题目和录音重抽样）；区间跨零的写「未显」。"
    "至少两处显出同一个方向，才叫站得住。带 * 的一格没有录音，用的是离线规则。"
)


def verdicts(findings: Sequence[Finding], digits: int = 3) -> Page:
    """Show findings as a table: one row a configuration, one column a place, and the verdict over all."""
    places = list(dict.fromkeys(finding.place for finding in findings))
    level = {finding.place: finding.baseline for finding in findings}
    notes = {place: "没有这种题" if value is None else f"基线 {value:.{digits}f}" for place, value in level.items()}
    head = ("技术", *(Words(place, note=notes[place]) for place in places), "合起来")
    body = []
    for name in dict.fromkeys(finding.config for finding in findings):
        own = [finding for finding in findings if finding.config == name]
        by_place = {finding.place: finding for finding in own}
        cells: list[Cell] = [_cell(by_place.get(place), digits) for place in places]
        body.append(Row((Words(labels.config(name), "strong"), *cells, WORDS[verdict(own)])))
    return Page((Table(head, tuple(body)), Note(NOTE, "muted")))


def _cell(finding: Finding | None, digits: int) -> Words:
    if finding is None or finding.interval is None:
        return Words("–")
    found = finding.interval
    star = "*" if finding.source == "rules" else ""
    interval = f"[{found.low:+.{digits}f}, {found.high:+.{digits}f}]"
    kind = ("good" if found.mean > 0 else "bad") if found.shown else "muted"
    return Words(f"{found.mean:+.{digits}f}{star}", kind, interval if found.shown else f"{interval} 未显")
