"""Acceptance of notebook 09's drift guard: the hard layer, the soft layer, follow-ups, and what it is worth."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

from querylab import settings
from querylab.guard import drift
from querylab.guard.drift import DRIFTS, DriftVerdict
from querylab.measure import drifting
from querylab.measure.metrics import complete
from querylab.measure.report import Report
from querylab.pipeline.config import BASELINE
from querylab.pipeline.lab import Lab

from checks import handed_in
from checks.acceptance import evaluate
from checks.stand_ins import AngleEncoder
from checks.verdict import Wrong

DIGITS = 1e-4
"""A cosine may be given rounded to four digits."""


async def drift_guard(lab: Lab) -> str:
    """Judge ``check_drift``, alone and then on rewrites that drift on purpose."""
    found = handed_in.function(lab, "check_drift", 'question, rewrite, encoder, known=""')
    guard = _Guard(found, handed_in.look(lab, "drift_guard", "check_drift"))
    _hard_layer(guard)
    _soft_layer(guard, settings.DRIFT_OK, settings.DRIFT_FLOOR)
    _follow_ups(guard)
    with mock.patch.multiple(settings, DRIFT_OK=0.5, DRIFT_FLOOR=0.25):
        again = handed_in.loaded_again(found, DRIFT_OK=0.5, DRIFT_FLOOR=0.25)
        if again is not found:
            _soft_layer(replace(guard, check=again), 0.5, 0.25)
    for question, rewrite, expected in (("泳镜三天没还罚多少", "泳镜3天未还的罚款是多少", ("ok", "slight")),):
        guard.expect(expected, question, rewrite, lab.retriever.encoder, why="换了说法，核心词都在")
    return await worth(lab, guard.look)


@dataclass(frozen=True)
class _Guard:
    """The student's function, and where it stands."""

    check: Callable[..., Any]
    look: str

    def judge(self, question: str, rewrite: str, encoder: Any, known: str = "") -> DriftVerdict:
        """Call it as the pipeline does."""
        got = handed_in.called(self.check, question, rewrite, encoder, *([known] if known else []))
        asked = _asked(question, rewrite, encoder, known)
        if not isinstance(got, DriftVerdict) or got.state not in DRIFTS:
            raise Wrong(
                "check_drift 应当返回 DriftVerdict",
                asked=asked,
                got=f"{got!r:.200}",
                expected=f"state 是 {'、'.join(DRIFTS)} 之一",
                look=self.look,
            )
        if not isinstance(got.reason, str) or not got.reason.strip():
            raise Wrong(
                "每个判断都要有理由，写成一句话",
                asked=asked,
                got=f"reason={got.reason!r:.100}",
                expected="文字（drift.describe 把核心词写成文字）",
                look=self.look,
            )
        return got

    def expect(
        self, states: tuple[str, ...], question: str, rewrite: str, encoder: Any, known: str = "", why: str = ""
    ) -> DriftVerdict:
        """Call it and hold the state against what it should be."""
        verdict = self.judge(question, rewrite, encoder, known)
        if verdict.state not in states:
            raise Wrong(
                f"判断不对：{why}",
                asked=_asked(question, rewrite, encoder, known),
                got=f"{verdict.state}（{verdict.reason}）",
                expected=" 或 ".join(states),
                look=self.look,
            )
        return verdict


def _asked(question: str, rewrite: str, encoder: Any, known: str) -> str:
    near = f"，余弦 {encoder.near:g}" if isinstance(encoder, _Near) else ""
    return f"「{question}」→「{rewrite}」{near}" + (f"，前面的对话「{known}」" if known else "")


class _Near(AngleEncoder):
    """An encoder that tells its cosine, for messages."""

    def __init__(self, near: float, question: str, rewrite: str) -> None:
        super().__init__(near, question, rewrite)
        self.near = near


# ── hard layer ──────────────────────────────────────────────────────────────────────────────────
_LOST = (
    # One core term of each kind, dropped and nothing else; the last loses two.
    ("3天不还怎么罚", "不还怎么罚"),
    ("周六闭馆吗", "闭馆吗"),
    ("《泳池守则》里带饮料怎么规定", "带饮料怎么规定"),
    ("「海豚」系统打不开找谁", "打不开系统找谁"),
    ("SPA区能带手机吗", "区里能带手机吗"),
    ("哪些人不能进深水区", "哪些人能进深水区"),
    ("《借展规则》里3天不还怎么罚", "不还怎么罚"),
)
_ADDED = (
    ("储物柜每小时收多少钱", "储物柜每小时收5元"),
    ("泳镜能借吗", "泳镜不能借吗"),
    ("泳池几点开门", "泳池周三几点开门"),
    ("带饮料怎么规定", "《泳池守则》里带饮料怎么规定"),
    ("系统打不开找谁", "「海豚」系统打不开找谁"),
    ("区里能带手机吗", "SPA区里能带手机吗"),
)
_SWAPPED = (
    ("月卡丢了怎么补", "年卡丢了怎么补"),
    ("典藏主管几点下班", "展陈主管几点下班"),
    # Lost as well as added: whichever is looked at first, it must be seen.
    ("泳镜三天没还罚多少", "泳镜5天未还罚多少"),
    ("《泳池守则》里带饮料怎么规定", "《食堂守则》里带饮料怎么规定"),
    ("最晚几点离场", "最早几点离场"),
)
_UNASKED = (
    # Dropped with nothing in its place, asked for something else, answered instead of asked.
    ("外包人员能进吗", "能进吗"),
    ("会员卡怎么补办", "会员卡多少钱"),
    ("泳帽找谁领", "泳帽怎么领"),
    ("储物柜几点清空", "储物柜晚上清空。"),
)
_HARD = (
    *((question, rewrite, "丢了核心词（drift.lost），余弦是多少都要拒绝") for question, rewrite in _LOST),
    *((question, rewrite, "凭空多了核心词（drift.added），余弦是多少都要拒绝") for question, rewrite in _ADDED),
    *((question, rewrite, "不再问问题自己问的（drift.unasked），余弦是多少都要拒绝") for question, rewrite in _UNASKED),
    *((question, rewrite, "换成了同类的另一样（drift.swapped），余弦是多少都要拒绝") for question, rewrite in _SWAPPED),
)
_UNRELATED = "今天有雨"


def _hard_layer(guard: _Guard) -> None:
    for question, rewrite, why in _HARD:
        encoder = _Near(0.99, question, rewrite)
        # What was said before excuses what came in, never what was lost, exchanged or asked no more.
        stays = drift.lost(question, rewrite) or drift.swapped(question, rewrite) or drift.unasked(question, rewrite)
        for known in ("", _UNRELATED, *([f"{question}\n{rewrite}"] if stays else [])):
            verdict = guard.expect(("rejected",), question, rewrite, encoder, known, why)
            _names_the_terms(guard, question, rewrite, known, verdict.reason)
        for near in (0.3, (settings.DRIFT_OK + settings.DRIFT_FLOOR) / 2):
            verdict = guard.expect(("rejected",), question, rewrite, _Near(near, question, rewrite), why=why)
            _names_the_terms(guard, question, rewrite, "", verdict.reason)


def _names_the_terms(guard: _Guard, question: str, rewrite: str, known: str, reason: str) -> None:
    """Everything lost, or everything that came in, or one side of an exchange: as written or in its canonical form."""
    lost, added = drift.lost(question, rewrite), drift.added(question, rewrite, known)
    complete_lists = [[(term.text, term.form) for term in terms] for terms in (lost, added) if terms]
    complete_lists += [[pair] for pair in drift.swapped(question, rewrite)]
    complete_lists = complete_lists or [[(word, word)] for word in drift.unasked(question, rewrite)]
    shown = "".join(reason.split()).casefold()
    if not any(all(any(form.casefold() in shown for form in forms) for forms in terms) for terms in complete_lists):
        words = "，或者 ".join("、".join(f"「{forms[0]}」" for forms in terms) for terms in complete_lists)
        raise Wrong(
            "理由要说出是哪个词，几个就都说出来",
            asked=f"「{question}」→「{rewrite}」",
            got=reason,
            expected=f"提到 {words}",
            look=guard.look,
        )


# ── follow-ups ──────────────────────────────────────────────────────────────────────────────────
_PAST = "借展要谁签字\n借展由典藏部主任签字，每件收费500元。"


def _follow_ups(guard: _Guard) -> None:
    """The cosine of a follow-up says nothing, so it is low here; and what is no follow-up goes by it."""
    why = "每个词都来自问题或前面的对话（drift.foreign 找不到别的），指代补全了"
    for question, rewrite in (
        ("他在几楼办公", "典藏部主任在几楼办公"),
        ("他收费吗", "典藏部主任每件收费500元吗"),
    ):
        guard.expect(("ok",), question, rewrite, _Near(0.3, question, rewrite), _PAST, why)
    question, rewrite, listed = "第二个怎么收费", "泳帽怎么收费", "泳镜和泳帽怎么借\n泳镜押金50元，泳帽押金20元。"
    why = "有对话时，「第二个」还原成所指的东西，不算丢（drift.lost 的 known）"
    guard.expect(("ok",), question, rewrite, _Near(0.3, question, rewrite), listed, why)
    question, rewrite = "泳池怎么清洗", "泳池如何净化"
    why = "前面没有对话，就不是追问，按余弦判"
    guard.expect(("rejected",), question, rewrite, _Near(0.3, question, rewrite), why=why)
    question, rewrite = "他在几楼办公", "典藏部主任和布展员在几楼办公"
    why = "追问的改写里有对话没有的词（drift.foreign），就两个都搜；追问的余弦不作数"
    for near in (0.3, 0.99):
        guard.expect(("slight",), question, rewrite, _Near(near, question, rewrite), _PAST, why)
    for question, rewrite in (("他在几楼办公", "借展要谁签字"), ("他收费吗", "借展每件收费500元。")):
        why = "改写要问问题自己问的：上一个问题和一句回答都不行（drift.unasked），哪怕每个词都来自对话"
        guard.expect(("rejected",), question, rewrite, _Near(0.99, question, rewrite), _PAST, why)


# ── soft layer ──────────────────────────────────────────────────────────────────────────────────
def _soft_layer(guard: _Guard, ok: float, floor: float) -> None:
    question, rewrite = "泳池怎么清洗", "泳池如何净化"
    cases = [
        (floor - 0.01, "rejected"),
        (floor + 0.01, "slight"),
        (ok - 0.01, "slight"),
        (ok + 0.01, "ok"),
        (1.0, "ok"),
    ]
    if ok == 0.5:  # here vectors are exact to the last bit
        cases += [(ok, "ok"), (floor, "slight")]
    for near, expected in cases:
        encoder = _Near(near, question, rewrite)
        why = (
            f"核心词都在时按余弦判，门槛取自 settings（这里 DRIFT_OK={ok:g}，DRIFT_FLOOR={floor:g}）；"
            "正好在门槛上的算够"
        )
        verdict = guard.expect((expected,), question, rewrite, encoder, why=why)
        _gives_the_cosine(guard, verdict, near, _asked(question, rewrite, encoder, ""))


def _gives_the_cosine(guard: _Guard, verdict: DriftVerdict, near: float, asked: str) -> None:
    try:
        right = verdict.cosine is not None and abs(float(verdict.cosine) - near) < DIGITS
    except (TypeError, ValueError):
        right = False
    if not right:
        raise Wrong(
            "按余弦判的，要把余弦填进 DriftVerdict.cosine",
            asked=asked,
            got=f"cosine={verdict.cosine!r:.50}",
            expected=f"cosine={near:g}",
            look=guard.look,
        )
    figures = [float(figure) for figure in re.findall(r"\d*\.?\d+", verdict.reason)]
    if not any(abs(figure - near) <= 0.051 or abs(figure / 100 - near) <= 0.051 for figure in figures):
        raise Wrong(
            "按余弦判的，理由里要有余弦是多少",
            asked=asked,
            got=verdict.reason,
            expected=f"提到 {near:.2f}",
            look=guard.look,
        )


# ── what it is worth ────────────────────────────────────────────────────────────────────────────
async def worth(lab: Lab, look: str) -> str:
    """Judge what the guard is worth on rewrites that drift on purpose, and that it lets honest ones pass."""
    # The rewriting itself comes from the reference, so that this check needs only this exercise.
    reference = replace(lab, techniques=lab.techniques.borrow("rewrite"))
    free, guarded = (report.whole() for report in await drifting.rows(reference))
    before = await evaluate(BASELINE, lab)
    for key in ("recall_single_hop", "recall_multi_hop"):
        if guarded.row()[key] < before.row()[key]:
            _say_which(before, guarded, look)
            raise Wrong(
                f"有了守卫，跑题的改写不该再拉低 {key}", got=guarded.row()[key], expected=before.row()[key], look=look
            )
    honest = await evaluate(replace(drifting.DRIFTING_GUARDED, name="rewrite + guard"), reference)
    for question, trace in zip(honest.questions, honest.traces, strict=True):
        rejected = next((fallback for fallback in trace.fallbacks if fallback.step == "guard"), None)
        if rejected:
            raise Wrong(
                "老实的改写被守卫拒掉了",
                asked=f"{question.question} → {rejected.reason}",
                got="rejected",
                expected="ok 或 slight",
                look=look,
            )
    recalls = " / ".join(f"{report.row()['recall_single_hop']:.0%}" for report in (before, free, guarded))
    return f"单跳召回 基线 / 跑题的改写 / 加守卫：{recalls}；老实的改写一次也没有错拒"


def _say_which(before: Report, guarded: Report, look: str) -> None:
    """Name the first rewrite that passed and cost an answer, and what it had lost, added or exchanged."""
    for question, plain, trace in zip(before.questions, before.traces, guarded.traces, strict=True):
        if not complete(plain, question) or complete(trace, question):
            continue
        for search in trace.searches:
            lost, added = drift.lost(question.question, search.query), drift.added(question.question, search.query)
            swapped = "、".join(
                f"「{old}」换成「{new}」" for old, new in drift.swapped(question.question, search.query)
            )
            wrong = (
                f"丢了{drift.describe(lost)}"
                if lost
                else f"多了{drift.describe(added)}"
                if added
                else swapped or "、".join(drift.unasked(question.question, search.query)) or "走远了"
            )
            if search.query != question.question:
                raise Wrong(
                    "这条改写跑题了，守卫却放它过去，答案就找不到了",
                    asked=f"「{question.question}」→「{search.query}」",
                    got="没有拒绝",
                    expected=f"rejected：{wrong}",
                    look=look,
                )
