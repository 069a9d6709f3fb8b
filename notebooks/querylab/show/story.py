"""A trace as a story: what was asked, what was searched, who passed the gate, what fitted, what it cost."""

import re

from querylab import settings
from querylab.corpus.model import Corpus, Question
from querylab.pipeline.trace import ANSWER_SIDE, Trace, where_lost
from querylab.show import labels
from querylab.show.page import (
    Bar,
    Block,
    Cell,
    Fold,
    Heading,
    Line,
    Note,
    Page,
    Row,
    Table,
    Words,
    columns,
    rows,
    shorten,
)
from querylab.types import Chunk, Gates, Hit, Search

ROWS_WITHOUT_A_PASS = 3
"""Rows shown of a pool in which nothing passed: the near misses."""

_CITED = re.compile(r"[\[【]([a-z0-9-]+#\d+)[\]】]")


def trace(
    trace: Trace,
    corpus: Corpus | None = None,
    question: Question | None = None,
    modelled: bool | None = None,
) -> Page:
    """Tell what happened to one question.

    Args:
        trace: what ``ask`` returned.
        corpus: gives the gates (which route admitted a chunk), and the labels when the question is
            one of its own.
        question: the question's labels, when they are not found in the corpus by its text.
        modelled: whether durations were modelled; by ``MOCK`` when None.

    Returns:
        A page: HTML in a notebook, plain text with ``print``.
    """
    if question is None and corpus is not None and not trace.history:
        question = next((item for item in corpus.questions if item.question == trace.question), None)
    teller = _Teller(trace, corpus.gates if corpus else None, question)
    blocks = [*teller.beginning(), *teller.searches(), *teller.context(), *teller.answer()]
    return Page((*blocks, *teller.accounts(settings.mode() == "mock" if modelled is None else modelled)))


class _Teller:
    """Writes the parts of one story."""

    def __init__(self, trace: Trace, gates: Gates | None, question: Question | None) -> None:
        self.trace = trace
        self.gates = gates
        self.question = question
        self.place = {chunk_id: rank for rank, (chunk_id, _) in enumerate(trace.ranking, start=1)}
        self.admitted = {chunk.id for chunk in trace.admitted}
        self.packed = {chunk.id for chunk in trace.context.chunks}
        self.dropped = {chunk.id for chunk in trace.context.dropped}
        self.purposes = {event.purpose for event in trace.events}

    # ── question, rewriting, route ──────────────────────────────────────────────────────────────
    def beginning(self) -> list[Block]:
        trace = self.trace
        blocks: list[Block] = []
        if trace.history:
            talk = tuple(Line("用户" if turn["role"] == "user" else "助手", turn["content"]) for turn in trace.history)
            blocks.append(Fold(f"此前的对话（{len(talk)} 句）", talk))
        blocks.append(Line("问题", Words(trace.question, "strong")))
        if trace.rewritten != trace.question:
            blocks.append(Line("改写后", Words(trace.rewritten, "strong")))
        elif "rewrite" in self.purposes:
            blocks.append(Line("改写后", Words("和原问题一样", "muted")))
        if trace.intent:
            blocks.append(Line("意图", f"{labels.INTENT[trace.intent]}（{trace.intent}）"))
        blocks += self._understanding()
        for note in trace.notes:
            blocks.append(Line("安全网", Words(f"⚠ {labels.note(note)}", "strong")))
        for fallback in trace.fallbacks:
            step = labels.word(labels.STEP, fallback.step)
            reason = labels.reason(fallback.reason)
            used = labels.word(labels.USED, fallback.used)
            blocks.append(Line("退路", Words(f"⚠ {step}没有用上：{reason} → {used}", "strong")))
        return blocks

    def _understanding(self) -> list[Block]:
        """What one call found out about the question, the path it chose, and the rounds of the loop."""
        found = self.trace.understanding
        blocks: list[Block] = []
        if found is not None:
            fields = (found.intent, found.complexity, found.specificity, found.scope)
            words = " · ".join(f"{labels.word(labels.FIELD, value)} {value}" for value in fields)
            flags = ((found.is_ambiguous, "有歧义"), (found.time_aware, "与时间有关"), (found.memory_aware, "依赖前文"))
            words += "".join(f" · {name}" for on, name in flags if on)
            origin = f"{labels.ORIGIN[found.origin]}；范围的把握 {found.scope_confidence:.2f}"
            blocks.append(Line("理解", Words(words, note=origin)))
            blocks += [Line("修补", Words(f"⚠ {repair}", "muted")) for repair in found.salvaged]
            if found.signals:
                blocks.append(Line("句式", f"抬高了复杂度：{'、'.join(found.signals)}"))
        if self.trace.path is not None:
            blocks.append(Line("路径", f"{labels.PATH[self.trace.path]}（{self.trace.path}）"))
        if self.trace.rounds:
            body = []
            for turn in self.trace.rounds:
                asked = "；".join(turn.queries) or "够了，不再搜"
                new = "、".join(map(str, turn.new)) or "—"
                body.append((str(turn.number), Words(asked, note=turn.note), new, str(turn.tokens)))
            blocks.append(Table(("轮", "要求检索", "新找到的片段", "token"), rows(body), columns(0, 2, 3)))
        return blocks

    # ── searches ────────────────────────────────────────────────────────────────────────────────
    def searches(self) -> list[Block]:
        if not self.trace.searches:
            why = "不用检索，文档已经点了名" if self.trace.context.chunks else "这条路不查资料"
            return [Line("检索", Words(f"0 次：{why}", "muted"))]
        blocks: list[Block] = []
        for number, search in enumerate(self.trace.searches, start=1):
            blocks += self._search(number, search)
        return blocks

    def _search(self, number: int, search: Search) -> list[Block]:
        total = len(self.trace.searches)
        which = f" {number}/{total}" if total > 1 else ""
        through = sum(self._passes(hit) for hit in search.hits)
        routes = "" if len(search.routes) == 2 else f"，只走 {'、'.join(search.routes)}"
        remark = f"候选池 {len(search.hits)} 个片段，过门槛 {through} 个{routes}"
        heading = Heading(f"检索{which}：{shorten(search.query, 120)}", remark)
        if not search.hits:
            return [heading, Note("什么也没找到。")]
        shown = [hit for hit in search.hits if hit.chunk.id in self.admitted or self._mark(hit.chunk)]
        if not any(hit.chunk.id in self.admitted for hit in search.hits):
            ids = {hit.chunk.id for hit in shown}
            near = [hit for hit in search.hits[:ROWS_WITHOUT_A_PASS] if hit.chunk.id not in ids]
            shown = sorted([*shown, *near], key=lambda hit: hit.rank)
        rest = [hit for hit in search.hits if hit not in shown]
        blocks: list[Block] = [heading, self._table(search, shown)]
        if rest:
            blocks.append(Fold(f"另有 {len(rest)} 个片段没过门槛", (self._table(search, rest),)))
        return blocks

    def _table(self, search: Search, hits: list[Hit]) -> Table:
        bm25 = Words("BM25", note=f"门槛 {self.gates.bm25:g}" if self.gates else "")
        cosine = Words("余弦", note=f"门槛 {self.gates.cosine:g}" if self.gates else "")
        head: tuple[Cell, ...] = ("名次", "片段", bm25, cosine, "门槛", "融合后", "去向")
        return Table(head, tuple(self._row(search, hit) for hit in hits), columns(0, 2, 3, 5))

    def _row(self, search: Search, hit: Hit) -> Row:
        chunk = hit.chunk
        by_words = self.gates is not None and hit.bm25 >= self.gates.bm25
        by_meaning = self.gates is not None and hit.cosine >= self.gates.cosine
        name = f"{self._mark(chunk)}{chunk.title} / {chunk.heading}"
        where, kind = self._whereabouts(chunk)
        place = self.place.get(chunk.id)
        cells: tuple[Cell, ...] = (
            str(hit.rank),
            Words(name, note=chunk.id),
            Words(f"{hit.bm25:.2f}" if "bm25" in search.routes else "—", "strong" if by_words else ""),
            Words(f"{hit.cosine:.3f}" if "cosine" in search.routes else "—", "strong" if by_meaning else ""),
            self._gate(search, hit, by_words, by_meaning),
            f"第 {place}" if place else "—",
            where,
        )
        return Row(cells, kind)

    def _gate(self, search: Search, hit: Hit, by_words: bool, by_meaning: bool) -> Cell:
        if self.gates is None:
            return "✓ 过" if hit.chunk.id in self.admitted else "○ 没过"
        if by_words or by_meaning:
            return "✓ 两路都过" if by_words and by_meaning else "✓ 凭 BM25" if by_words else "✓ 凭余弦"
        if hit.chunk.id in self.admitted:
            number = next(
                (
                    number
                    for number, other in enumerate(self.trace.searches, start=1)
                    if any(item.chunk.id == hit.chunk.id and self._passes(item) for item in other.hits)
                ),
                None,
            )
            return Words("○ 没过", note=f"检索 {number} 里过了" if number else "")
        return "○ 没过"

    def _passes(self, hit: Hit) -> bool:
        if self.gates is None:
            return hit.chunk.id in self.admitted
        return hit.bm25 >= self.gates.bm25 or hit.cosine >= self.gates.cosine

    def _whereabouts(self, chunk: Chunk) -> tuple[Cell, str]:
        if chunk.id in self.packed:
            return Words("进上下文", "strong", f"{chunk.tokens} token"), "in"
        if chunk.id in self.dropped:
            return Words("装不下", "", f"{chunk.tokens} token"), ""
        return "—", "out"

    def _mark(self, chunk: Chunk) -> str:
        """★ for a chunk that holds the answer."""
        answering = self.question is not None and chunk.id in self.question.answering(chunk.doc_id)
        return "★ " if answering else ""

    # ── context and answer ──────────────────────────────────────────────────────────────────────
    def context(self) -> list[Block]:
        trace = self.trace
        if not (trace.searches or trace.admitted):
            return []
        blocks: list[Block] = [
            Heading("上下文", f"{len(trace.context.chunks)} 个片段进，{len(trace.context.dropped)} 个装不下"),
            Bar("预算", trace.context.tokens, trace.budget, f"{trace.context.tokens} / {trace.budget} token"),
        ]
        if self.question is not None and self.question.evidence:
            titles = {hit.chunk.doc_id: hit.chunk.title for search in trace.searches for hit in search.hits}
            for doc_id, place in where_lost(trace, self.question).items():
                mark = "✓" if place == "context" else "✗"
                why = f"：{labels.PLACE_WHY[place]}" if place != "context" else ""
                name = f"{titles[doc_id]}（{doc_id}）" if doc_id in titles else doc_id
                words = f"{mark} {name} — {labels.PLACE[place]}{why}"
                blocks.append(Line("★ 证据", Words(words, "good" if place == "context" else "bad strong")))
        return blocks

    def answer(self) -> list[Block]:
        trace = self.trace
        blocks: list[Block] = [Heading("答案")]
        if trace.refused:
            why = "过了门槛的都装不下" if trace.admitted else "没有一个片段过门槛"
            blocks.append(Note(f"拒答：{why}，不拿没有依据的话来凑。", "strong"))
        elif trace.answer is not None:
            blocks.append(Note(trace.answer, "strong"))
        else:
            blocks.append(Note("这次没有写答案。"))
        cited = set(_CITED.findall(trace.answer or ""))
        for chunk in trace.context.chunks:
            mark = "（答案引用）" if chunk.id in cited else ""
            blocks.append(Line("来源", Words(f"{chunk.title} / {chunk.heading}  [{chunk.id}]{mark}")))
        for name in sorted(cited - self.packed):
            blocks.append(Line("来源", Words(f"⚠ 答案引用了上下文里没有的 [{name}]", "bad strong")))
        return blocks

    # ── accounts ────────────────────────────────────────────────────────────────────────────────
    def accounts(self, modelled: bool) -> list[Block]:
        trace = self.trace
        time = "推算" if modelled else "实测"
        words = f"模型调用 {trace.model_calls} 次 · 检索 {trace.retrievals} 次 · 用时 {trace.seconds:.2f} 秒（{time}）"
        if trace.output_tokens:
            words += f" · 输出 {trace.output_tokens} token"
        answering = sum(event.purpose in ANSWER_SIDE for event in trace.events)
        remark = f"写答案的 {answering} 次调用不算在内" if answering else ""
        return [Heading("三笔账", remark), Note(words, "")]
