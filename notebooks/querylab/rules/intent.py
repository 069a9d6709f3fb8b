"""Intent: small talk, a question for one search, or a question in two hops.

In: an utterance. Out: its label, and the examples it went by. Small talk is told by the nearest sentences of
``examples.txt`` (which anybody may add to); two hops are told by the form of the sentence.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from querylab.language import is_english
from querylab.rules.ellipsis import encoder
from querylab.rules.mentions import mentions
from querylab.rules.words import asked, asking_clauses, clauses, clean, without_courtesy
from querylab.types import Intent

EXAMPLES = Path(__file__).with_name("examples.txt")
NEAREST = 5
"""How many of the nearest examples are asked; all have to be small talk."""
NEAR = 0.4
"""The mean cosine from which they are near enough."""
SAME = 0.8
"""The cosine from which the nearest example is the same utterance in other words."""
TALK = frozenset(("greeting", "thanks", "acknowledgement", "farewell", "apology", "praise", "capability", "smalltalk"))

_ADDRESSED = re.compile(r"你|您|\byour?\b", re.IGNORECASE)
_HEADS = "(?:人|人员|员工|主管|经理|主任|组长|科长|老师|医生|教练|师傅|阿姨|同事|部门|科室|单位|机构|公司|小组|团队|班组|中心|厂商|供应商|合作商|文件|制度|条款|标准)"
_RELATIVE = re.compile(
    rf"[^，,。]{{2,}}(?:的)?(?:那|这)(?:个|位|名|家|条|座|份|张|届|种|项|栋|台|本|部)|[^，,。]{{3,}}的{_HEADS}"
)
_ACTS = re.compile(
    "负责|管|批|审|签|主持|牵头|分管|处理|裁定|裁决|认定|受理|保养|检修|维护|安装|办理|发行|教|带|做|捐|赢|拿|夺|接|主讲|值班|核实|核准|同意|要找|所属|对应|适用|规定"
)
_BACK = re.compile(
    r"(?:^|再|然后|并且?|和|跟|就)?(?:那|这|该)(?:一)?(?:个|位|名|家|条|类|级|档|种|份|层|间|项|岗|部门|科|组|馆|站|人|流程|通道|等级|标准|店|处|区|班|庭)|"
    r"^(?:他|她|其)(?!他|它|中|余)|^对应的?|拿着?这|按(?:那|这)"
)
_ENTITY = re.compile(
    "谁|哪位|哪个|哪家|哪份|哪类|哪一|哪种|哪档|哪级|哪项|哪条|哪里的|几级|几类|几档|几等|第几|什么(?:级别|等级|类型|类别|资格|部门|岗位|文件|通道|险|会员|档)|什么人"
)
_ENGLISH = re.compile(
    r"\b(?:who|which|what)\b.*\b(?:and|,)\s.*\b(?:that|their|they|them|its?|his|her|him|this)\b|"
    r"\b(?:person|people|team|department|manager|officer|office)\b (?:who|that|which|in charge)\b.*|"
    r"\b(?:email|phone|number|extension|name|office|address|contact)\b.* of (?:the|whoever)\b.*\b(?:who|that|which|responsible|in charge)\b",
    re.IGNORECASE,
)


@cache
def examples() -> tuple[tuple[tuple[str, str], ...], np.ndarray]:
    """Read the labelled examples once, as (label, sentence), with their vectors: an (n, 512) array of unit rows.

    Raises:
        ValueError: for a line that is not label, tab, sentence; says which.
    """
    rows = []
    for number, line in enumerate(EXAMPLES.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        label, tab, sentence = line.partition("\t")
        if not tab or not sentence.strip():
            raise ValueError(f"{EXAMPLES.name}, line {number}: found {line!r}, expected a label, a tab and a sentence.")
        rows.append((label.strip(), sentence.strip()))
    return tuple(rows), encoder().encode([sentence for _, sentence in rows])


@lru_cache(maxsize=2048)
def nearest(
    text: str, labels: frozenset[str] = frozenset(), leave_out: bool = False
) -> tuple[tuple[str, str, float], ...]:
    """List the nearest examples as (sentence, label, cosine), nearest first.

    Args:
        text: an utterance.
        labels: only examples of these labels; empty for all.
        leave_out: pass over the example that is the utterance itself, as a measurement on the examples must.
    """
    rows, vectors = examples()
    cosines = vectors @ encoder().encode([text])[0]
    order = [
        index
        for index in np.argsort(-cosines, kind="stable")
        if (not labels or rows[index][0] in labels) and not (leave_out and rows[index][1] == text.strip())
    ]
    return tuple((rows[i][1], rows[i][0], round(float(cosines[i]), 4)) for i in order[:NEAREST])


def label_of(near: Sequence[tuple[str, str, float]]) -> str:
    """Give the label that all the nearest examples agree on, all kinds of talk counting as one; "" when they do not."""
    labels = {"talk" if label in TALK else label for _, label, _ in near}
    mean = sum(cosine for _, _, cosine in near) / max(1, len(near))
    return labels.pop() if len(labels) == 1 and mean >= NEAR else ""


def intent_with_examples(text: str, leave_out: bool = False) -> tuple[Intent, tuple[tuple[str, str, float], ...]]:
    """Label an utterance, and show the examples it went by.

    Rule: direct when the nearest examples are all small talk and near enough, and the sentence does not ask a fact
    without addressing anybody; a nearly equal example of small talk settles it. Else by :func:`is_multi_hop`.
    Limits: small talk about a matter that documents treat counts as a question.

    Returns:
        The label, and the nearest examples as (sentence, label, cosine), nearest first.
    """
    plain = clean(text)
    if not plain:
        return "single-hop", ()
    near = nearest(plain, TALK | {"question"}, leave_out)
    if not any(letter.isalnum() for letter in plain):
        return "direct", near
    same = near[0][1] in TALK and near[0][2] >= SAME
    asks_a_fact = bool(asking_clauses(plain)) and not _ADDRESSED.search(plain)
    if label_of(near) == "talk" and (same or not asks_a_fact):
        return "direct", near
    return ("multi-hop" if is_multi_hop(plain) else "single-hop"), near


def intent(text: str) -> Intent:
    """Label an utterance direct, single-hop or multi-hop; see :func:`intent_with_examples`."""
    return intent_with_examples(text)[0]


def is_multi_hop(text: str) -> bool:
    """Say whether a question first needs one thing (who, which class, which paper) to ask for another of it.

    Rule: one clause asks for somebody or something, a later one points back at it (那个部门, 他); or a clause describes
    somebody by what they do (批准…的人, …的那位) and the question asks something of them.
    Limits: a chain in plain nouns (「所属公司的电话」) is missed.
    """
    text = without_courtesy(clean(text)).rstrip("？?。 ")
    if is_english(text):
        return bool(_ENGLISH.search(text))
    parts = clauses(text)
    for index, part in enumerate(parts[1:], start=1):
        if _BACK.search(part) and any(_ENTITY.search(before) for before in parts[:index]):
            return True
        own = [m for m in mentions(part) if m.kind != "time" and len(m.text) > 2]
        if asked(parts[index - 1]) == "class" and asked(part) in ("time", "amount", "count", "procedure") and not own:
            return True
    found = _RELATIVE.search(text)
    if not found:
        return False
    rest = text[found.end() :].lstrip("的，, ")
    described = bool(_ACTS.search(found[0])) or "那" in found[0]
    return described and len(rest) > 1 and _asks_of(rest)


def _asks_of(rest: str) -> bool:
    """Say whether what follows a described person or thing asks something of it."""
    things = ("电话", "邮箱", "手机", "名字", "姓名", "办公室", "座机", "分机", "联系", "地址")
    return asked(rest) not in ("none", "yes-no") or any(word in rest for word in things)
