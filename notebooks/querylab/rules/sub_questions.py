"""Sub-questions: one question that asks several things, cut into questions that can be searched apart.

In: one question. Out: one to three lines. Where a later line needs an earlier answer, 〔1〕 stands for it. And the
short answer that fills such a gap: a word or phrase taken from passages.
"""

import itertools
import re
from collections.abc import Sequence

from querylab import settings
from querylab.rules import asking, named, phrases
from querylab.rules import language as lang
from querylab.rules.answer import content_terms, rank_sentences
from querylab.rules.intent import is_multi_hop
from querylab.rules.padding import without_padding, without_particle

GAP = "〔1〕"
UNKNOWN = "不知道"

_PERSONS = "人 人员 同事 领导 负责人 主管 经理"
_UNITS = "部门 科室 小组 团队 单位 机构 班组"
_PAPERS = "文件 制度 标准 办法 规范 规定 表单"
_RELATIVE = re.compile(
    rf"^(?P<clause>[^，,。？?]{{3,}}?)的(?:那|这|该)?(?:一)?(?:个|位|名|家|份)?"
    rf"(?P<noun>{lang.alternatives(f'{_PERSONS} {_UNITS} {_PAPERS}')})(?:的)?"
    r"(?P<rest>(?:叫|是|在|有|电话|邮箱|手机|分机|办公|怎么|如何|联系|姓|名字|几|多|什么|哪|谁|带|管|归).*)$"
)
_BACK = re.compile(
    rf"^(?:再|然后|那么|并且|以及|还有|请问|同时|另外)*(?:(?:那|这|该|此)(?:一)?(?:{lang.alternatives(lang.MEASURES)})?"
    r"(?:人|部门|级别|等级|级|类|档|标准|规定|制度|文件|单位|岗位|小组|团队|班组)?|他们?|她们?|它们?|其)(?=[\u4e00-\u9fff])"
)
_JOINT = re.compile(r"(?<=[\u4e00-\u9fff])(?:以及|还有|并且|同时|另外|顺便)(?=[\u4e00-\u9fff])")
_LEADING = re.compile(r"^(?:以及|还有|并且|同时|另外|顺便|而且|再|还|又|和)+(?:请问|问一下|想问)?")
_EACH = re.compile(
    r"^(?P<head>[^，,。]*?)(?P<one>[^，,。和与跟、]{2,10})(?:和|与|跟|、)(?P<two>[^，,。和与跟、]{2,10}?)"
    r"(?:的(?P<shared>[^，,。]{1,12}?))?(?:分别|各自|各)(?P<rest>[^，,。]+)$"
)
_CONTRAST = re.compile(
    r"^(?:请)?(?:对比|比较)?(?:一下)?(?P<one>[^，,。和与跟]{2,14})(?:和|与|跟)(?P<two>[^，,。和与跟]{2,14}?)"
    r"(?:的(?P<shared>[^，,。]{2,12}?))?(?:有什么|有哪些|有何|的|之间的?)?(?:区别|不同|差别|差异)(?:是什么|在哪里?)?$"
)


def sub_questions(question: str) -> list[str]:
    """Cut a question into at most three questions that each ask one thing.

    Rule: what asks a property of somebody unnamed becomes two in turn (谁…, 〔1〕…); 「甲和乙分别…」 and
    「甲和乙有什么区别」 become one for each; several asking clauses become one each, with the subject of the
    first before those that have none. Anything else stays one, to the letter.
    Limits: 「甲和乙」 without 分别 stays together; a subject that a later clause only half repeats is not put in again.
    Example: 「闭馆由谁批准，那个人在几楼」 → 「闭馆由谁批准」, 「〔1〕在几楼」.
    """
    if lang.is_english(question) or not question.strip():
        return [question]
    text = without_particle(without_padding(question.strip()[: lang.LONGEST])).rstrip("？?。！! ")
    for way in (_in_turn, _each, _clauses):
        parts = [part for part in dict.fromkeys(way(text)) if part.strip()]
        if len(parts) > 1:
            return parts[: settings.SUB_QUESTIONS]
    return [question]


def _in_turn(text: str) -> list[str]:
    if not is_multi_hop(text):
        return []
    relative = _RELATIVE.search(text)
    if relative:
        noun = relative["noun"]
        who = "谁" if noun in _PERSONS.split() else f"哪{'份' if noun in _PAPERS.split() else '个'}{noun}"
        return [f"{who}{relative['clause']}", f"{GAP}{relative['rest']}"]
    clauses = asking.clauses(text)
    asks = [index for index, clause in enumerate(clauses) if _asks(clause)]
    if len(asks) < 2:
        return []
    first = "，".join(clauses[: asks[0] + 1])
    return [first, *(f"{GAP}{_BACK.sub('', clause)}" for clause in clauses[asks[0] + 1 :])]


def _each(text: str) -> list[str]:
    for form in (_EACH, _CONTRAST):
        found = form.search(text)
        if not found:
            continue
        shared = f"的{found['shared']}" if found["shared"] else ""
        groups = found.groupdict()
        rest = re.sub(r"^(?:是|为)?", "", groups.get("rest") or "")
        tail = f"{shared}{'' if not rest else '是' if rest[:1] in '多几什哪' and shared else ''}{rest}"
        head, one = _split_head(groups.get("head") or "", found["one"])
        return [f"{head}{thing}{tail or '的规定'}" for thing in (one, found["two"])]
    return []


def _split_head(head: str, one: str) -> tuple[str, str]:
    """Leave the preposition or verb before the first of two things with what they share (「在甲和乙」)."""
    found = re.match(r"^(在|对|按|用|把|从|坐|住|办|请)(.{2,})$", one)
    return (head + found[1], found[2]) if found else (head, one)


def _clauses(text: str) -> list[str]:
    clauses = asking.clauses(text)
    split = [(index, _LEADING.sub("", piece)) for index, clause in enumerate(clauses) for piece in _JOINT.split(clause)]
    pieces = [piece for _, piece in split]
    if len(pieces) < 2:
        return []
    ending = re.search(r"(?:是什么|是多少|怎么算|怎么规定的?|有哪些|是怎样的)$", pieces[-1])
    if len(clauses) == 1 and len(pieces) > 1 and ending:  # 「有效期以及作废规则是什么」: both ask it
        pieces = [piece if piece.endswith(ending[0]) else f"{piece}{ending[0]}" for piece in pieces]
    asks = [index for index, piece in enumerate(pieces) if _asks(piece)]
    if len(asks) < 2:
        return []
    lead = pieces[: asks[0]]
    subject = (phrases.topic(lead[0]) if lead else "") or phrases.topic(pieces[asks[0]])
    out = ["，".join([*lead, pieces[asks[0]]])]
    for before, index in itertools.pairwise(asks):
        piece = pieces[index]
        joined = split[before][0] == split[index][0]  # after 以及 the subject goes on; after a comma it may be new
        stands = phrases.has_topic(piece) and not joined and not _repeats_only(piece, subject)
        out.append(piece if stands or not subject or subject in piece else f"{subject}{piece}")
    return out


def _asks(piece: str) -> bool:
    return asking.asked(piece).kind != "other" or any(unit.kind == "question" for unit in phrases.units(piece))


def _repeats_only(piece: str, subject: str) -> bool:
    """Say whether all that a clause names was said in the subject already."""
    terms = content_terms(piece)
    general = lang.ATTRIBUTES | lang.PROCESS_VERBS
    return bool(terms) and all(term in subject or term in general for term in terms)


# ── The short answer ────────────────────────────────────────────────────────────────────────────
_LEVEL = re.compile(r"(?:[一二三四五甲乙丙丁A-DS][级类档等]|[PST]\d级?)[\u4e00-\u9fff]{0,2}")


def short_answer(question: str, passages: Sequence[str]) -> str:
    """Answer one sub-question by a word or phrase of the passages; 不知道 when nothing of the kind stands there.

    Rule: sentence by sentence, the one most related first: the first person or unit for 谁, level or 《title》 for
    几级, figure for 多少, that the question does not name.
    Limits: the sentence most related may speak of another case. Example: 「谁批准闭馆」 with
    「闭馆须由馆务科科长批准」 → 馆务科科长.
    """
    question = question[: lang.LONGEST]
    kind = asking.asked((asking.asking_clauses(question) or [question])[-1]).kind
    for sentence, _, score in rank_sentences(question, [("", text) for text in passages])[:4]:
        found = [thing for thing in _things(sentence[: lang.LONGEST], kind) if thing not in question] if score else []
        if found:
            return found[0]
    return UNKNOWN


def _things(sentence: str, kind: str) -> list[str]:
    people = [name for name, marked in named.people(sentence) if marked] or [
        name for name, _ in named.people(sentence) if name not in lang.PERSON_KINDS.split()
    ]
    units, titles = list(named.organisations(sentence)), named.titles(sentence)
    if kind in ("person", "approver"):
        return people or units
    if kind == "class":
        return _LEVEL.findall(sentence) or titles
    if kind in ("amount", "time", "count"):
        return lang.FIGURE.findall(sentence)
    if kind == "place":
        return named.places(sentence)
    return titles
