"""The tables of the lessons: ledger, wins and losses, router confusion, dialogues."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from querylab.corpus.model import Question
from querylab.measure.evaluate import TurnResult
from querylab.measure.metrics import ndcg
from querylab.measure.report import Report
from querylab.pipeline.trace import Trace, where_lost
from querylab.show import labels
from querylab.show.page import Block, Cell, Fold, Heading, Note, Page, Row, Table, Words, columns, rows, shorten
from querylab.types import INTENTS

if TYPE_CHECKING:
    pass


# ── Wins and losses ─────────────────────────────────────────────────────────────────────────────
def wins_and_losses(report: Report, baseline: Report) -> Page:
    """Show question by question what a configuration changed against the baseline.

    Args:
        report: the configuration.
        baseline: what it is held against.

    Returns:
        A table of the questions that changed (documents gained and lost in the context, refusals,
        nDCG@10), the unchanged ones folded.

    Raises:
        ValueError: when the two were made on different questions. When one of them stopped early, the
            questions that both have are compared.
    """
    partial = report.stopped or baseline.stopped
    if partial:
        both = {question.id for question in report.questions} & {question.id for question in baseline.questions}
        report, baseline = report.only(both), baseline.only(both)
    if [question.id for question in report.questions] != [question.id for question in baseline.questions]:
        raise ValueError("These two reports were made on different questions and cannot be compared.")
    titles = _titles([*report.traces, *baseline.traces])
    changed: list[Row] = []
    same: list[Row] = []
    better = worse = 0
    for question, now, before in zip(report.questions, report.traces, baseline.traces, strict=True):
        evidence = set(question.evidence)
        here, there = _arrived(now, question), _arrived(before, question)
        gained = [doc for doc in here if doc not in there]
        lost = [doc for doc in there if doc not in here]
        score = [ndcg([chunk_id for chunk_id, _ in trace.ranking], question.grades) for trace in (before, now)]
        moved = round(score[1] - score[0], 3) + 0.0 if question.answerable else 0.0
        refused = _refusal(before, now)
        good = bool(evidence & set(gained)) - bool(evidence & set(lost)) or (moved > 0) - (moved < 0)
        if refused:  # refusing rightly is good, refusing wrongly is not
            good = 1 if now.refused != question.answerable else -1
        better, worse = better + (good > 0), worse + (good < 0)
        mark = (
            Words("▲ 变好", "good nw") if good > 0 else Words("▼ 变差", "bad nw") if good < 0 else Words("＝", "muted")
        )
        kind = "" if good or gained or lost else "out"
        cells: tuple[Cell, ...] = (
            mark,
            Words(question.id, note=labels.TIER[question.tier], note_kind="nw"),
            question.question,
            _documents(gained, evidence, titles, "+"),
            _documents(lost, evidence, titles, "−"),
            Words(refused or "—", "nw"),
            Words(f"{score[1]:.3f}", note=f"{moved:+.3f}") if question.answerable else "—",
        )
        row = Row(cells, kind)
        (changed if good or gained or lost or refused or moved else same).append(row)
    head = ("", "题", "问题", "多进来的文档", "少掉的文档", "拒答", "nDCG@10")
    name = labels.config(report.config.name)
    blocks: list[Block] = [
        Heading(
            f"{name} 对 {labels.config(baseline.config.name)}：逐题得失",
            f"{better} 题变好，{worse} 题变差，{len(report.questions) - better - worse} 题不分好坏",
        )
    ]
    if partial:
        blocks.append(Note(f"⚠ 有一次评测中途停下，只比两边都测过的 {len(report.questions)} 题。", "bad strong"))
    if changed:
        blocks.append(Table(head, tuple(changed), columns(6)))
    if same:
        blocks.append(Fold(f"另有 {len(same)} 题没有变化", (Table(head, tuple(same), columns(6)),)))
    blocks.append(Note("★ 是标注的证据文档。先看证据和拒答，再看 nDCG。" + (labels.MOCK if report.modelled else "")))
    return Page(tuple(blocks))


def _arrived(trace: Trace, question: Question) -> list[str]:
    """Documents in the context; an evidence document only with a chunk that holds the answer, as recall counts."""
    places = where_lost(trace, question)
    return [doc for doc in trace.documents if places.get(doc, "context") == "context"]


def _refusal(before: Trace, now: Trace) -> str:
    if before.refused == now.refused:
        return ""
    return "答 → 拒" if now.refused else "拒 → 答"


def _titles(traces: Iterable[Trace]) -> dict[str, str]:
    return {chunk.doc_id: chunk.title for trace in traces for chunk in trace.context.chunks}


def _documents(doc_ids: Sequence[str], evidence: set[str], titles: Mapping[str, str], sign: str) -> Cell:
    if not doc_ids:
        return "—"
    names = "、".join(f"{'★' if doc in evidence else ''}{titles.get(doc, doc)}" for doc in doc_ids)
    return Words(f"{sign} {names}", "strong" if evidence & set(doc_ids) else "")


# ── Router ──────────────────────────────────────────────────────────────────────────────────────
_EXPECTED = {"single": "single-hop", "multi": "multi-hop"}
_RIGHT = {"unanswerable": "single-hop"}
_COST = {
    ("single-hop", "direct"): "最贵：不查资料，只能编",
    ("multi-hop", "direct"): "最贵：不查资料，只能编",
    ("unanswerable", "direct"): "最贵：不查资料，只能编",
    ("direct", "single-hop"): "白搜一次",
    ("direct", "multi-hop"): "白搜两次，多一次调用",
    ("single-hop", "multi-hop"): "多一次调用、一次检索",
    ("unanswerable", "multi-hop"): "多试一跳，还可能放行",
    ("multi-hop", "single-hop"): "少一跳，可能只答一半",
}
_ROWS = ("direct", "single-hop", "multi-hop", "unanswerable")
_ROW_NAMES = {name: labels.INTENT.get(name, name) for name in INTENTS} | {
    "direct": "闲聊",
    "unanswerable": labels.TIER["unanswerable"],
}


def confusion(pairs: Iterable[tuple[str, str | None]]) -> Page:
    """Show which path should have been taken and which one was, with the price of each error.

    Args:
        pairs: (expected, chosen). Expected is an intent or a tier (``single``, ``multi``, ``direct``,
            ``unanswerable``); chosen is an intent, None for "no router ran".

    Raises:
        ValueError: for a name that is neither.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for expected, chosen in pairs:
        row, column = _EXPECTED.get(expected, expected), chosen or "single-hop"
        if row not in _ROWS or column not in INTENTS:
            raise ValueError(
                f"Expected one of {', '.join(_ROWS)} and chosen one of {', '.join(INTENTS)}, found "
                f"{expected!r} and {chosen!r}."
            )
        counts[row, column] += 1
    total = sum(counts.values())
    right = sum(count for (row, column), count in counts.items() if _RIGHT.get(row, row) == column)
    body = []
    for row in _ROWS:
        n = sum(counts[row, column] for column in INTENTS)
        if not n and row == "unanswerable":
            continue
        cells: list[Cell] = [Words(_ROW_NAMES[row], "strong", f"n={n}")]
        hit = set()
        for index, column in enumerate(INTENTS, start=1):
            count = counts[row, column]
            if _RIGHT.get(row, row) == column:
                hit.add(index)
                cells.append(Words(f"✓ {count}", "strong"))
            elif count:
                cells.append(Words(f"✗ {count}", "bad strong", _COST[row, column]))
            else:
                cells.append(Words("0", "muted", _COST[row, column]))
        body.append(Row(tuple(cells), hits=frozenset(hit)))
    head = ("应该走的路", *(Words(f"走了：{labels.INTENT[name]}", note=name) for name in INTENTS))
    return Page(
        (
            Heading("路由：应该走的路 × 走了的路", f"{total} 句，走对 {right} 句"),
            Table(head, tuple(body)),
            Note("错的代价不一样：该查的没查最贵，多查一次最便宜。所以拿不准时走单跳。框起来的是走对的格子。"),
        )
    )


# ── Dialogues ───────────────────────────────────────────────────────────────────────────────────
def dialogue(results: Sequence[TurnResult] | Mapping[str, Sequence[TurnResult]], length: int = 60) -> Page:
    """Show dialogue turns: as typed, as searched, whether the evidence arrived, and the three accounts.

    Args:
        results: what ``evaluate_dialogues`` returned; or several of them by name, which then stand
            beneath one another turn by turn.
        length: characters shown of each text.
    """
    ways = results if isinstance(results, Mapping) else {"": results}
    several = len(ways) > 1
    keys = list(dict.fromkeys((item.dialogue, item.turn) for found in ways.values() for item in found))
    lookup = {(way, item.dialogue, item.turn): item for way, found in ways.items() for item in found}
    body: list[list[Cell]] = []
    for key in keys:
        first = True
        for way in ways:
            item = lookup.get((way, *key))
            if item is None:
                continue
            body.append(_turn(item, way if several else None, first, length))
            first = False
    head: list[Cell] = ["轮", "用户说的", "拿去检索的", "证据", "模型调用", "检索", "用时（秒）"]
    numbers = columns(4, 5, 6)
    if several:
        head.insert(1, "做法")
        numbers = columns(5, 6, 7)
    blocks: list[Block] = [Table(tuple(head), rows(body), numbers)]
    for way, found in ways.items():
        calls, searches = (sum(getattr(item.trace, name) for item in found) for name in ("model_calls", "retrievals"))
        needed = [item for item in found if item.tier in ("single", "multi")]
        arrived = sum(item.arrived for item in needed)
        name = f"{way}：" if way else "合计："
        blocks.append(
            Note(
                f"{name}要查资料的 {len(needed)} 轮里 {arrived} 轮证据到齐；"
                f"模型调用 {calls} 次，检索 {searches} 次，"
                f"用时共 {sum(item.trace.seconds for item in found):.2f} 秒。"
            )
        )
    return Page(tuple(blocks))


def _turn(item: TurnResult, way: str | None, first: bool, length: int) -> list[Cell]:
    trace = item.trace
    typed = Words(shorten(trace.question, length), "strong") if first else Words("〃", "muted")
    queries = [search.query for search in trace.searches]
    if not queries:
        searched: Cell = Words("不检索", "muted", f"意图：{labels.INTENT[trace.intent]}")
    elif trace.rewritten == trace.question:
        searched = Words("原话", "muted", "" if len(queries) == 1 else _more(queries, trace.rewritten, length))
    else:
        searched = Words(shorten(trace.rewritten, length), note=_more(queries, trace.rewritten, length))
    cells: list[Cell] = [
        Words(
            f"{item.dialogue} 第 {item.turn + 1} 轮" if first else "",
            note=labels.TIER[item.tier] if first else "",
            kind="nw",
        ),
        typed,
        searched,
        _arrival(item),
        str(trace.model_calls),
        str(trace.retrievals),
        f"{trace.seconds:.2f}",
    ]
    if way is not None:
        cells.insert(1, way)
    return cells


def _more(queries: Sequence[str], rewritten: str, length: int) -> str:
    return "；".join(f"另搜：{shorten(query, length)}" for query in queries if query != rewritten)


def _arrival(item: TurnResult) -> Words:
    trace = item.trace
    if item.tier == "direct":
        return Words("✗ 白搜了", "bad strong") if trace.searches else Words("✓ 不用查", "good")
    if item.tier == "unanswerable":
        return Words("✓ 拒答", "good") if trace.refused else Words("✗ 没有拒答", "bad strong")
    if item.arrived and trace.searches:
        return Words("✓ 到了", "good")
    note = "没有检索" if not trace.searches else "没有一个片段过门槛" if not trace.admitted else ""
    return Words("✗ 没到", "bad strong", note)
