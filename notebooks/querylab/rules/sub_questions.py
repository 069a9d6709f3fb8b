"""Sub-questions: one question that asks several things, cut into questions that can be searched apart.

In: one question. Out: one to three lines. Where a later line needs an earlier answer, 〔1〕 stands for it.
"""

import re

from querylab import settings
from querylab.language import is_english
from querylab.rules.bridge import POINTING, RELATIVE
from querylab.rules.expand import topic
from querylab.rules.intent import is_multi_hop
from querylab.rules.words import asked, clauses, clean, without_courtesy, words

GAP = "〔1〕"
_PAPERS = ("文件", "制度", "标准", "办法", "规范", "规定")
_UNITS = ("部门", "科室", "小组", "团队", "单位", "机构", "班组")
_JOINT = re.compile(r"(?<=[\u4e00-\u9fff])(?:以及|还有|并且|同时|另外|顺便)(?=[\u4e00-\u9fff])")
_LEADING = re.compile(r"^(?:以及|还有|并且|同时|另外|顺便|而且|再|还|又|和)+(?:请问|问一下|想问)?")
_EACH = re.compile(
    r"^(?P<head>在|对|按|用|把|从|坐|住|办|请)?(?P<one>[^，,。和与跟、]{2,10})(?:和|与|跟|、)(?P<two>[^，,。和与跟、]{2,10}?)"
    r"(?P<shared>的[^，,。]{1,12}?)?(?:分别|各自|各)(?P<rest>[^，,。]+)$"
)
_CONTRAST = re.compile(
    r"^(?:请)?(?:对比|比较)?(?:一下)?(?P<one>[^，,。和与跟]{2,14})(?:和|与|跟)(?P<two>[^，,。和与跟]{2,14}?)"
    r"(?P<shared>的[^，,。]{2,12}?)?(?:有什么|有哪些|有何|的|之间的?)?(?:区别|不同|差别|差异)(?:是什么|在哪里?)?$"
)
_ENDING = re.compile(r"(?:是什么|是多少|怎么算|怎么规定的?|有哪些|是怎样的)$")


def sub_questions(question: str) -> list[str]:
    """Cut a question into at most three questions that each ask one thing.

    Rule: what asks a property of somebody unnamed becomes two in turn (谁…, 〔1〕…); 「甲和乙分别…」 and
    「甲和乙有什么区别」 become one for each; several asking clauses become one each, with the topic of the
    first before those that name nothing. Anything else stays one, to the letter.
    Limits: 「甲和乙」 without 分别 stays together; a subject that a later clause only half repeats is not put in again.
    Example: 「闭馆由谁批准，那个人在几楼」 → 「闭馆由谁批准」, 「〔1〕在几楼」.
    """
    text = without_courtesy(clean(question)).rstrip("？?。！! ")
    if not text or is_english(text):
        return [question]
    for way in (_in_turn, _each, _clauses):
        parts = [part for part in dict.fromkeys(way(text)) if part.strip()]
        if len(parts) > 1:
            return parts[: settings.SUB_QUESTIONS]
    return [question]


def _in_turn(text: str) -> list[str]:
    """Two hops: who or what it is, then what is asked of it."""
    if not is_multi_hop(text):
        return []
    pieces = clauses(text)
    asks = [index for index, clause in enumerate(pieces) if asked(clause) != "none"]
    relative = RELATIVE.search(text)
    if relative and asked(relative["clause"]) == "none":
        noun, rest = relative["noun"] or "人", relative["rest"]
        rest = rest.partition("，")[2] if rest.startswith("是谁") else rest
        kind = f"哪份{noun}" if noun in _PAPERS else f"哪个{noun}" if noun in _UNITS else "谁"
        verb = words(relative["clause"])[0][1] == "v" and "，" not in relative["clause"]
        first = f"{kind}{relative['clause']}" if verb else f"{relative['clause']}的{noun}是{kind}"
        return [first, *([f"{GAP}{rest}"] if rest else [])]
    if len(asks) < 2:
        return []
    first = "，".join(pieces[: asks[0] + 1])
    return [first, *(f"{GAP}{POINTING.sub('', clause)}" for clause in pieces[asks[0] + 1 :])]


def _each(text: str) -> list[str]:
    """Two things in a row: the same question of each."""
    for form in (_EACH, _CONTRAST):
        found = form.search(text)
        if found:
            groups = found.groupdict()
            rest = (groups.get("rest") or "").removeprefix("是")
            shared = found["shared"] or ""
            tail = f"{shared}{'是' if shared and rest[:1] in '多几什哪' and rest else ''}{rest}" or "的规定"
            return [f"{groups.get('head') or ''}{thing}{tail}" for thing in (found["one"], found["two"])]
    return []


def _clauses(text: str) -> list[str]:
    """Several asking clauses: one question each, the topic before those that name nothing."""
    parts = [(index, _LEADING.sub("", piece)) for index, clause in enumerate(clauses(text)) for piece in
             _JOINT.split(clause)]  # fmt: skip
    pieces = [piece for _, piece in parts]
    ending = _ENDING.search(pieces[-1]) if pieces else None
    joined = len({index for index, _ in parts}) == 1
    if joined and len(pieces) > 1 and ending:  # 「有效期以及作废规则是什么」: both ask it
        pieces = [piece if piece.endswith(ending[0]) else f"{piece}{ending[0]}" for piece in pieces]
    asks = [index for index, piece in enumerate(pieces) if asked(piece) != "none"]
    if len(asks) < 2:
        return []
    subject = topic(pieces[asks[0]]) or topic(pieces[0])
    out = ["，".join(pieces[: asks[0] + 1])]
    for index in asks[1:]:
        piece = pieces[index]
        same_clause = parts[index][0] == parts[index - 1][0]
        own = topic(piece)
        stands = subject in piece or (own and own not in subject and not same_clause)
        out.append(piece if stands or not subject else f"{_subject(subject, pieces[asks[0]], same_clause)}{piece}")
    return out


def _subject(subject: str, first: str, same_clause: bool) -> str:
    """The topic, with the verb before it when the clause begins with one (借投影仪)."""
    place = first.find(subject)
    return first[: place + len(subject)] if 0 < place <= 2 and not same_clause else subject
