"""``python -m querylab calibrate``: fit the gates on the labelled single-hop questions."""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from querylab.commands.said import Said, add_lab, open_engine
from querylab.corpus.load import load_corpus
from querylab.measure.calibrate import Calibration, LeftOut, calibrate, leave_one_out, write_gates

HELP = "fit the gates on the labelled single-hop questions"


def add(parser: argparse.ArgumentParser) -> None:
    """Name the arguments."""
    add_lab(parser)
    parser.add_argument("--write", action="store_true", help="store them in the corpus's manifest.toml")
    parser.add_argument(
        "--margin", type=float, default=0.0, metavar="SHARE", help="lower both gates by this share, such as 0.1"
    )


def run(options: argparse.Namespace) -> Said:
    """Fit, check by leaving each question out once, and store where that is asked for."""
    corpus = load_corpus(options.corpus)
    retriever = open_engine(options, corpus)
    found = calibrate(corpus, retriever, options.margin)
    left_out = leave_one_out(corpus, retriever, options.margin)
    manifest = corpus.root / "manifest.toml"
    if options.write:
        if not manifest.exists():  # a folder of BEIR's shape has none of its own
            head = f'name = {json.dumps(corpus.name, ensure_ascii=False)}\nlanguage = "{corpus.language}"\n'
            manifest.write_text(head, encoding="utf-8")
        write_gates(manifest, found)
    where = f"written to {manifest}" if options.write else "not written; add --write to store them"
    too_large = [chunk for chunk in corpus.chunks if chunk.tokens > corpus.budgets.default]
    large = [
        f"larger than the default budget of {corpus.budgets.default} tokens: {chunk.id} ({chunk.tokens}); "
        "it is cut when it ranks first, and else left out"
        for chunk in too_large
    ]
    data = asdict(found) | {
        "written": options.write,
        "margin": options.margin,
        "leave_one_out": [asdict(item) for item in left_out],
        "too_large": [chunk.id for chunk in too_large],
    }
    lines = [*_fitted(found), "", *_left_out(left_out), *(["", *large] if large else []), "", where]
    return Said("\n".join(lines), data)


def _fitted(found: Calibration) -> Iterator[str]:
    yield "strictest gates at which single-hop questions keep their evidence, with their neighbours:"
    yield ""
    yield "        bm25   cosine  admitted  refused rightly  refused wrongly"
    answerable = found.questions["single"] + found.questions["multi"]
    for setting in found.neighbours:
        mark = "->" if setting == found.fitted else "  "
        yield (
            f"  {mark} {setting.gates.bm25:8.3f} {setting.gates.cosine:8.3f} {setting.admitted:9} "
            f"{setting.refused_rightly:8} of {found.questions['unanswerable']:<4} "
            f"{setting.refused_wrongly:10} of {answerable}"
        )
    if found.chosen != found.fitted:
        gates = found.chosen.gates
        yield f"  lowered by the margin: bm25 {gates.bm25}, cosine {gates.cosine}, {found.chosen.admitted} admitted"
    yield ""
    yield "margin of each question's evidence over the gates (one of the two is 0 or more):"
    yield ""
    for margin in found.margins:
        yield f"  {margin.question:6} {margin.document:28} bm25 {margin.bm25:+8.3f}   cosine {margin.cosine:+.3f}"


def _left_out(verdicts: Sequence[LeftOut]) -> Iterator[str]:
    kept = sum(item.kept for item in verdicts)
    yield (
        f"leave one out: with the gates fitted on the other {len(verdicts) - 1}, "
        f"{kept} of {len(verdicts)} single-hop questions keep their evidence"
    )
    for item in verdicts:
        if not item.kept:
            yield f"  {item.question:6} lost behind bm25 {item.gates.bm25:.3f}, cosine {item.gates.cosine:.3f}"
