"""Core terms: what must survive a rewrite. Titles, names, codes, figures, a restriction (only, except) and denials.

In: a question or a rewrite. Out: its core terms, one form for all spellings of one. What they are compared for is
:mod:`querylab.guard.drift`'s.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from querylab.guard import figures
from querylab.guard.figures import lexicon
from querylab.language import is_english, tagged
from querylab.text import normalise

Kind = Literal["title", "name", "code", "number", "limit", "negation"]
KINDS: tuple[Kind, ...] = ("title", "name", "code", "number", "limit", "negation")
WORDS: dict[Kind, str] = dict(zip(KINDS, ("文件名", "名字", "代号", "数字", "限定", "否定"), strict=True))
"""What each kind is called in a reason."""

LONGEST = 8_000
"""Characters that are looked at: a question is far shorter, a conversation with passages rarely longer."""


@dataclass(frozen=True)
class Term:
    """One core term: its kind, the form in which it is compared, and how it was written."""

    kind: Kind
    form: str
    text: str

    def __str__(self) -> str:
        return f"{WORDS[self.kind]}「{self.text}」"


_GAP = re.compile(r"〔\d〕")
"""Stands for an earlier answer in a sub-question; it is no figure of the question."""
_TITLE = re.compile(r"《([^《》]{1,40})》")
_QUOTED = re.compile(r"[「『“\"]([^「」『』“”\"]{1,16})[」』”\"]")
_CODE = re.compile(r"[a-z][a-z0-9]*(?:[-_.+/][a-z0-9]+)*(?: ?\d+(?![\d.:,]))?(?:\+\+|#)?|\d{1,9}[a-z]+")
_NO_CODES = {"", "ok", *figures.UNITS}
_LIMITS = {"只": re.compile("仅限?|只(?:限|有|能)|only"), "除": re.compile("除了|除去|除外|以外|之外|例外|except")}

_CHOICE = re.compile(r"(\w{1,2})[不没]\1|是否|能否|可否|有无|[不没]有?(?=[?？吗,，\s]|$)")
"""能不能, 是否, 「…不？」: both sides are asked, nothing is denied."""
_NO_DENIAL = re.compile(
    "不(?:得|能)不|非得|不(?:过(?!期|关)|错|仅|但|光|只|同|一样|管|论|久|好意思)|"
    "不(?:得|能)?(?:超过|高于|多于|少于|低于|足|满|到)|未满|无(?:论|线|限|人)|未(?:来|成年)|没(?:关系|问题)|非[常法]|"
    "差不多|来不及|特别|[类级个区分性]别|别(?:人|的|处|墅)|[不没]太?(?:知道|清楚|明白)"
)
_DENIAL = re.compile(
    r"不|没有?|未|无(?!理由)|非(?=处方|会员|工作|本)|禁止|严禁|谢绝|拒绝|别|勿|免(?=费|票|押|检)|"
    r"\b(?:no|not|never|without|cannot)\b|n't\b"
)
_DENYING = re.compile(
    r"[逾超过]期|失败|故障|[丢遗]失|错过|缺|拒|停|取消|误|忘|剩|旷|挂了|挂科|"
    r"\b(?:fail\w*|lost|missing|expired|overdue|error)\b"
)
"""Words that deny in their meaning: 「没赶上飞机」 may become 「误机」, 「登不上」 「登录失败」."""

_SURNAMES = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕施张孔曹严华金魏陶姜谢邹苏潘葛范彭鲁韦马苗方俞任袁柳唐费薛雷贺倪汤殷罗郝安"
    "傅康余顾孟黄萧尹姚邵汪毛戴宋庞熊纪项祝董梁杜阮蓝季贾江童郭梅林钟徐邱骆高夏蔡田樊胡凌霍万柯卢莫房丁邓洪崔龚程陆翁武刘"
    "龙叶黎白乔谭申牛温庄柴易廖耿文曾关欧聂辛简饶沙游岳丛史侯常阎覃晏"
)
_TITLED = re.compile("老师|医生|大夫|主任|教授|经理|师傅|律师|护士|阿姨|先生|女士|教练|姐|哥")
_NO_PLACES = lexicon("东西 迁回来 礼拜 回国 入口 上门 福利 长度 蓝牙")
"""Ordinary words that the dictionary has as places."""
_ENGLISH_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}


@lru_cache(maxsize=4096)
def core_terms(text: str) -> tuple[Term, ...]:
    """Read off everything that must survive a rewrite.

    Args:
        text: a question, or a rewrite; the first :data:`LONGEST` characters are read.

    Returns:
        Terms in the order of :data:`KINDS`, with repetitions.
    """
    text = _GAP.sub(" ", text[:LONGEST])
    rest, found = normalise(text), list[Term]()
    for kind, form in (("title", _TITLE), ("name", _QUOTED)):
        found += [Term(kind, "".join(match[1].split()), match[1]) for match in form.finditer(rest)]
        rest = form.sub(" ", rest)
    if is_english(text):
        rest = " ".join(str(_ENGLISH_NUMBERS.get(word, word)) for word in rest.split())
        capitals = re.findall(r"(?<=[a-z,] )[A-Z][A-Za-z]+", text)
        found += [*_terms("code", re.findall(r"\b[a-z]+-?\d+\b", rest)), *_terms("name", capitals)]
        found += _terms("number", re.findall(r"(?<![a-z\d-])\d+(?:\.\d+)?", rest))
    else:
        codes = [match[0] for match in _CODE.finditer(rest) if match[0].lstrip("0123456789 ") not in _NO_CODES]
        counted, rest = figures.read(_CODE.sub(lambda code: " " if code[0] in codes else code[0], rest))
        found += [*_terms("code", codes), *(Term("number", form, written) for form, written in counted)]
        found += _terms("name", _people_and_places(rest))
        # What a thing is called denies nothing: 无人机, 不动产.
        words = tagged(_CHOICE.sub(" ", rest))
        rest = "".join(" " if tag.startswith("n") and len(word) > 2 else word for word, tag in words)
    for limit, form in _LIMITS.items():
        found += [Term("limit", limit, match[0]) for match in form.finditer(rest)]
    found += [Term("negation", "不", match[0]) for match in _DENIAL.finditer(_NO_DENIAL.sub(" ", rest))]
    return tuple(sorted(found, key=lambda term: KINDS.index(term.kind)))


def denials(text: str) -> int:
    """Count what denies: the denials themselves, and words that deny in their meaning."""
    return len(_DENYING.findall(normalise(text[:LONGEST]))) + sum(t.kind == "negation" for t in core_terms(text))


def code_form(text: str) -> str:
    """One form of an identifier: Wi-Fi and wifi, iPhone 15 and iPhone15; VPN-2 stays another than VPN-20."""
    return re.sub(r"[-_ ]", "", text.casefold())


def _terms(kind: Kind, words: Iterable[str]) -> list[Term]:
    return [Term(kind, code_form(word) if kind == "code" else word.casefold(), word) for word in words]


def _people_and_places(text: str) -> Iterable[str]:
    """List people (张医生, 刘晓燕) and places.

    The dictionary alone knows places; the hidden Markov model knows people's names that no dictionary has, and is
    believed where the dictionary sees single characters in them (段时间 is no name).
    """
    import rjieba  # here: loading the dictionary takes longer than importing this module

    words = tagged(text)
    found = [word for word, tag in words if tag in ("ns", "nt") and len(word) > 1 and word not in _NO_PLACES]
    for (word, _), (after, _) in pairwise(words):
        if word in _SURNAMES and (title := _TITLED.match(after)):
            found.append(word + title[0])
    for word, tag in rjieba.tag(text):
        parts = tagged(word)
        if len(parts) > 1 and parts[-1][1][0] in "vdpuc":  # 苏岚有: the verb behind is no part of the name
            parts = parts[:-1]
        whole = "".join(part for part, _ in parts)
        single = all(len(part) == 1 or kind.startswith("nr") for part, kind in parts)
        if tag.startswith("nr") and single and len(whole) in (2, 3) and whole[0] in _SURNAMES:
            found.append(whole)
    return dict.fromkeys(found)
