"""A page of blocks that can be read twice: as HTML in a notebook, as plain text everywhere else.

Blocks hold text, never markup; the page escapes it. So a document that contains ``<script>`` is shown,
not run. Colours come from JupyterLab's own variables, so a page is at home in light and dark themes, and
nothing is said by colour alone.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

CSS = """
.ql{color:var(--jp-content-font-color1,inherit);font-size:13px;line-height:1.55;max-width:1080px;overflow-x:auto}
.ql.ql.ql p{margin:.25em 0}
.ql.ql.ql h4{font-size:14px;font-weight:600;margin:.9em 0 .2em;padding:0}
.ql.ql.ql h4:first-of-type{margin-top:.2em}
.ql h4 .muted{font-weight:400}
.ql .k{display:inline-block;min-width:5.5em;color:var(--jp-content-font-color2,#777)}
.ql .s{display:flex;align-items:baseline;margin:.15em 0}.ql .s>.k{flex:none}
.ql.ql.ql table{border-collapse:collapse;margin:.35em 0;font-size:12.5px;table-layout:auto;border:0}
.ql.ql.ql th,.ql.ql.ql td{text-align:left;vertical-align:top;padding:3px 9px;border:0;max-width:30em;
border-bottom:1px solid rgba(128,128,128,.28);white-space:normal}
.ql.ql.ql.ql tr{background:none}
.ql.ql.ql thead th{font-weight:600;vertical-align:bottom;border-bottom:2px solid rgba(128,128,128,.55)}
.ql.ql.ql th.r,.ql.ql.ql td.r{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.ql.ql.ql th,.ql .nw{white-space:nowrap}.ql.ql.ql .tight th,.ql.ql.ql .tight td{padding:3px 6px}
.ql small{display:block;font-size:11px;line-height:1.4;color:var(--jp-content-font-color2,#777);font-weight:400}
.ql .muted{color:var(--jp-content-font-color2,#777)}
.ql .good{color:var(--jp-success-color1,#2e8b57)}.ql .bad{color:var(--jp-error-color1,#d9534f)}
.ql .strong{font-weight:600}
.ql.ql.ql.ql tr.in{background:rgba(128,128,128,.14)}
.ql.ql.ql.ql tr.in td:first-child{box-shadow:inset 3px 0 currentColor}
.ql.ql.ql .tight td:first-child{min-width:8.5em}
.ql.ql.ql.ql tr.out td{color:var(--jp-content-font-color2,#777)}
.ql.ql.ql td.hit{box-shadow:inset 0 0 0 2px currentColor}
.ql summary{cursor:pointer;color:var(--jp-content-font-color2,#777)}
.ql .bar{display:inline-block;width:240px;height:10px;border:1px solid currentColor;vertical-align:middle;
margin-right:.6em}
.ql .bar i{display:block;height:100%;background:currentColor;opacity:.65}
""".replace("\n", "")

Kind = str
"""How words look: ``""``, ``muted``, ``strong``, ``good``, ``bad``, ``nw`` (on one line); several with blanks."""


@dataclass(frozen=True)
class Words:
    """A piece of text with a look, and with a smaller second line where ``note`` is given."""

    text: str
    kind: Kind = ""
    note: str = ""
    note_kind: Kind = ""

    @property
    def html(self) -> str:
        """Write it as HTML, everything escaped."""
        main = _span(self.text, self.kind)
        return f"{main}<br><small>{_span(self.note, self.note_kind)}</small>" if self.note else main

    def __str__(self) -> str:
        return f"{self.text} ({self.note})" if self.note and self.text else self.text or self.note


Cell = str | Words


def _span(text: str, kind: Kind) -> str:
    safe = escape(text)
    return f'<span class="{kind}">{safe}</span>' if kind and text else safe


def _html(cell: Cell) -> str:
    return cell.html if isinstance(cell, Words) else escape(cell)


@dataclass(frozen=True)
class Heading:
    """A heading, with a muted remark after it."""

    text: str
    remark: str = ""

    def html(self) -> str:
        """Write it as HTML, everything escaped."""
        remark = f' <span class="muted">{escape(self.remark)}</span>' if self.remark else ""
        return f"<h4>{escape(self.text)}{remark}</h4>"

    def lines(self) -> list[str]:
        """Write it as plain text, line by line."""
        return ["", f"## {self.text}" + (f"  {self.remark}" if self.remark else "")]


@dataclass(frozen=True)
class Line:
    """A step of the story: its name, and what came of it."""

    label: str
    cell: Cell

    def html(self) -> str:
        """Write it as HTML, everything escaped."""
        return f'<div class="s"><span class="k">{escape(self.label)}：</span><span>{_html(self.cell)}</span></div>'

    def lines(self) -> list[str]:
        """Write it as plain text, line by line."""
        return [f"{pad(self.label, 12)}{self.cell}"]


@dataclass(frozen=True)
class Note:
    """A sentence under or beside a table."""

    text: str
    kind: Kind = "muted"

    def html(self) -> str:
        """Write it as HTML, everything escaped."""
        return f"<p>{_span(self.text, self.kind)}</p>"

    def lines(self) -> list[str]:
        """Write it as plain text, line by line."""
        return [self.text]


@dataclass(frozen=True)
class Bar:
    """A filled part of a whole: ``used`` of ``total``, with its words."""

    label: str
    used: float
    total: float
    words: str

    @property
    def share(self) -> float:
        """The filled part, 0 to 1."""
        return min(1.0, self.used / self.total) if self.total > 0 else 0.0

    def html(self) -> str:
        """Write it as HTML, everything escaped."""
        bar = f'<span class="bar"><i style="width:{self.share:.0%}"></i></span>'
        return (
            f'<div class="s"><span class="k">{escape(self.label)}：</span><span>{bar}{escape(self.words)}</span></div>'
        )

    def lines(self) -> list[str]:
        """Write it as plain text, line by line."""
        full = round(self.share * 20)
        return [f"{pad(self.label, 12)}[{'█' * full}{'░' * (20 - full)}] {self.words}"]


@dataclass(frozen=True)
class Row:
    """One row of a table; ``kind`` is ``in`` (it arrived), ``out`` (it was lost) or nothing."""

    cells: tuple[Cell, ...]
    kind: str = ""
    hits: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Table:
    """A table; ``right`` names the columns (from 0) that hold numbers; ``tight`` is for many columns."""

    head: tuple[Cell, ...]
    rows: tuple[Row, ...]
    right: frozenset[int] = frozenset()
    tight: bool = False

    def html(self) -> str:
        """Write it as HTML, everything escaped."""
        head = "".join(f"<th{self._look(column)}>{_html(cell)}</th>" for column, cell in enumerate(self.head))
        body = ""
        for row in self.rows:
            kind = f' class="{row.kind}"' if row.kind else ""
            cells = "".join(
                f"<td{self._look(column, column in row.hits)}>{_html(cell)}</td>"
                for column, cell in enumerate(row.cells)
            )
            body += f"<tr{kind}>{cells}</tr>"
        look = ' class="tight"' if self.tight else ""
        return f"<table{look}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _look(self, column: int, hit: bool = False) -> str:
        """Class and style of a cell; the side is said in the cell, for JupyterLab drops sheets from stored outputs."""
        names = [name for name, on in (("r", column in self.right), ("hit", hit)) if on]
        side = "right" if column in self.right else "left"
        return (f' class="{" ".join(names)}"' if names else "") + f' style="text-align:{side}"'

    def lines(self) -> list[str]:
        """Write it as plain text, line by line."""
        grid = [[str(cell) for cell in self.head], *([str(cell) for cell in row.cells] for row in self.rows)]
        widths = [max(width(row[column]) for row in grid) for column in range(len(self.head))]
        drawn = [
            "  ".join(pad(text, widths[column], column in self.right) for column, text in enumerate(row)).rstrip()
            for row in grid
        ]
        return [drawn[0], "─" * min(100, sum(widths) + 2 * len(widths) - 2), *drawn[1:]]


@dataclass(frozen=True)
class Fold:
    """Blocks behind a line that opens; plain text shows the line alone."""

    summary: str
    blocks: tuple["Block", ...]

    def html(self) -> str:
        """Write it as HTML, everything escaped."""
        inside = "".join(block.html() for block in self.blocks)
        return f"<details><summary>{escape(self.summary)}</summary>{inside}</details>"

    def lines(self) -> list[str]:
        """Write it as plain text, line by line."""
        return [f"… {self.summary}"]


Block = Heading | Line | Note | Bar | Table | Fold


@dataclass(frozen=True, repr=False)
class Page:
    """Blocks, one under the other. The last expression of a cell shows it; ``print`` gives plain text."""

    blocks: tuple[Block, ...] = field(default_factory=tuple)

    def _repr_html_(self) -> str:
        inside = "".join(block.html() for block in self.blocks)
        return f'<style>{CSS}</style><div class="ql">{inside}</div>'

    def __str__(self) -> str:
        lines = [line for block in self.blocks for line in block.lines()]
        return "\n".join(lines).strip("\n")

    __repr__ = __str__

    def __add__(self, other: "Page") -> "Page":
        return Page(self.blocks + other.blocks)


def width(text: str) -> int:
    """Columns that a text takes in a fixed-width font: two for a wide (Chinese) character."""
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def pad(text: str, columns: int, right: bool = False) -> str:
    """Fill a text with blanks to a width in columns."""
    blank = " " * max(0, columns - width(text))
    return blank + text if right else text + blank


def shorten(text: str, length: int) -> str:
    """Cut a text to a number of characters, the last of them ``…``; line breaks become blanks."""
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"


def columns(*names: int) -> frozenset[int]:
    """Name the columns that hold numbers."""
    return frozenset(names)


def rows(cells: Sequence[Sequence[Cell]], kind: str = "") -> tuple[Row, ...]:
    """Make plain rows."""
    return tuple(Row(tuple(line), kind) for line in cells)
