"""Runs and labels in TREC's text formats, so that any evaluation tool can check the figures."""

from collections.abc import Iterable
from pathlib import Path

from querylab.corpus.model import Question
from querylab.measure.report import Report


def run_lines(report: Report) -> list[str]:
    """Write a report's rankings, one chunk a line: ``question Q0 chunk rank score tag``, ranks from 1.

    The score is made from the rank, because tools sort by it and would break fused ties their own way.
    """
    tag = report.config.name.replace(" ", "_")
    return [
        f"{question.id} Q0 {chunk_id} {rank} {1 / rank:.6f} {tag}"
        for question, trace in zip(report.questions, report.traces, strict=True)
        for rank, (chunk_id, _) in enumerate(trace.ranking, start=1)
    ]


def qrels_lines(questions: Iterable[Question]) -> list[str]:
    """Write grades, one a line: ``question 0 chunk grade``."""
    return [
        f"{question.id} 0 {chunk_id} {grade}"
        for question in questions
        for chunk_id, grade in sorted(question.grades.items())
    ]


def write(folder: Path, reports: Iterable[Report]) -> list[Path]:
    """Write ``qrels.txt`` and one ``NAME.run`` a report into a folder.

    Returns:
        The files written.

    Raises:
        OSError: when the folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for report in reports:
        if not written:
            written.append(_text(folder / "qrels.txt", qrels_lines(report.questions)))
        name = "".join(character if character.isalnum() else "-" for character in report.config.name)
        written.append(_text(folder / f"{name}.run", run_lines(report)))
    return written


def _text(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return path
