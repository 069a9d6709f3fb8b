"""What the rules know of Chinese and English sentences: clauses, what a clause asks, which of its words carry content.

In: a question or a sentence. Out: pieces of it, never new text. The lists here are closed classes (question words,
pronouns, courtesy, measure words) and the commonest nouns for a property of something.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from querylab.language import is_english, simplified, tagged
from querylab.text import tokenise, whole

LONGEST = 400
"""Characters of a text that a rule reads: longer ones are no questions, and a rule answers in milliseconds."""


def lexicon(words: str) -> tuple[str, ...]:
    """Read a list of words, a blank between them, in its order."""
    return tuple(words.split())


Asked = Literal["class", "person", "unit", "place", "amount", "time", "count", "procedure", "thing", "yes-no", "none"]

# The first kind with a word in the clause is what the clause asks.
_ASKING: tuple[tuple[Asked, str], ...] = (
    ("class", "几级 几类 几档 几等 哪级 哪类 哪档 哪一级 哪一类 哪一档 哪种 哪一种 什么级别 什么等级 什么类型"),
    ("person", "谁 哪位 哪个人 哪一位 什么人"),
    ("unit", "哪个部门 哪个科 哪个组 哪个单位 哪家 哪个机构 什么部门"),
    ("place", "哪里 哪儿 在哪 去哪 到哪 几楼 几层 几号楼 什么地方 哪个窗口 哪栋"),
    ("amount", "多少钱 多少元 几块 几元 什么价 怎么收费 怎么卖 多贵"),
    (
        "time",
        "多久 几天 几点 几号 几个月 几年 几周 几小时 几分钟 几个工作日 多少天 多长时间 什么时候 何时 哪天 啥时候 周几",
    ),
    ("count", "多少 几 多大 多高 多重 多长 多远"),
    ("procedure", "怎么 怎样 如何 咋 什么手续 什么流程"),
    ("thing", "什么 啥 哪"),
    ("yes-no", "吗 能不能 可不可以 是不是 要不要 有没有 会不会 用不用 能否 是否 可否 不"),
)
_ASKING_ENGLISH: tuple[tuple[Asked, str], ...] = (
    ("person", "who whose"),
    ("place", "where"),
    ("amount", "much"),
    ("time", "when long often"),
    ("count", "many"),
    ("procedure", "how"),
    ("thing", "what which"),
    ("yes-no", "is are do does did can could may must should will"),
)
ASKING_WORDS = tuple(
    sorted({word for _, words in _ASKING[:-1] for word in words.split()}, key=lambda word: (-len(word), word))
)

GENERAL = frozenset(
    lexicon(
        "时间 地点 地址 位置 电话 邮箱 联系方式 名字 姓名 费用 价格 价钱 标准 押金 金额 材料 证件 手续 流程 "
        "条件 要求 规定 名额 数量 次数 天数 期限 有效期 原因 结果 进度 发票 收据 照片 密码 账号 本人 家属 "
        "自己 办法 方法 方式 问题 情况 东西 事情 事 人 部门 单位 地方 时候 办公室 周末 假期 节假日 工作日 "
        "自然日 小时 分钟 平时 早上 上午 中午 下午 晚上 夜里 白天 今天 明天 现在 最后 中途 期间 网上 线上 "
        "线下 现场 当场 窗口 手机 复印件 原件 孩子 小孩 老人 别人 朋友 大家 钱 话 样 种 次 份 张 天 月 年"
    )
)
"""Nouns for a property or a circumstance: on their own they do not tell what a question is about."""

_STOP = frozenset(
    lexicon(
        "的 了 是 在 和 与 或 及 把 被 对 从 向 为 以 于 要 能 可 可以 需要 必须 应 应当 应该 会 想 请 请问 "
        "吗 呢 吧 啊 呀 么 有 没有 就 都 也 还 又 再 才 最 很 这 那 这个 那个 它 他 她 我 你 我们 你们 他们 "
        "一个 一下 由 经 须 给 到 去 来 做 办 是否 不 什么 怎么 如何 怎样 多少 多久 哪里 哪儿 谁 啥 名字 时候 "
        "规定 进行 有关 相关 叫 a an the of to for in on at is are was were be do does did can could should "
        "would will may must i we you my our it its they he she this that there what who how when where which "
        "why and or by with from as much many long"
    )
)
_COURTESY = frozenset(
    lexicon(
        "你好 您好 谢谢 谢谢你 谢谢您 多谢 感谢 谢了 好的 好 嗯 嗯嗯 哦 明白 明白了 知道了 收到 了解 清楚了 "
        "对了 在吗 辛苦了 抱歉 不好意思 打扰一下 打扰了 请问 麻烦问一下 换个话题 另外 哈喽 早上好 下午好 "
        "晚上好 行 那行 ok okay hi hello thanks noted"
    )
) | {"thank you", "got it"}
_POLITE = ("请问一下", "请问下", "请问", "麻烦问一下", "麻烦问下", "想问一下", "想问下", "问一下", "我想问", "想问")
_MARKS = "，,。；;！!？?\n"


def clean(text: str) -> str:
    """Bring what was typed into the form that rules read: NFKC, simplified, no half characters, not too long."""
    return simplified(unicodedata.normalize("NFKC", whole(text)))[:LONGEST].strip()


def clauses(text: str) -> list[str]:
    """Cut a text at its marks; Chinese also at blanks between Chinese characters."""
    for mark in _MARKS:
        text = text.replace(mark, "，")
    if not is_english(text):
        text = re.sub(r"(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])", "，", text)
    return [part.strip() for part in text.split("，") if part.strip()]


def asked(clause: str) -> Asked:
    """Say what a clause asks for: 「谁批准」 a person, 「几天」 a time; "none" when it asks nothing."""
    if is_english(clause):
        own = set(re.findall("[a-z]+", clause.casefold()))
        return next((kind for kind, words in _ASKING_ENGLISH if own & set(words.split())), "none")
    for kind, words in _ASKING[:-1]:
        if any(word in clause for word in words.split()):
            return kind
    kind, words = _ASKING[-1]
    ends = clause.rstrip("啊呀呢的了").endswith(("不", "吗", "么", "没", "没有"))
    return kind if ends or any(word in clause for word in words.split()[1:-1]) or _alternates(clause) else "none"


@lru_cache(maxsize=4096)
def _alternates(clause: str) -> bool:
    """See the A-not-A question (收不收, 给不给, 开没开)."""
    middles = [place for place, letter in enumerate(clause) if letter in "不没" and 0 < place < len(clause) - 1]
    return any(clause[place - 1] == clause[place + 1] for place in middles)


def asking_clauses(text: str) -> list[str]:
    """List the clauses that ask something."""
    return [clause for clause in clauses(text) if asked(clause) != "none"]


def content_terms(text: str) -> list[str]:
    """List the distinct search terms that carry content: no function words, no question words (几天, 多少, 哪位)."""
    return [term for term in dict.fromkeys(tokenise(text)) if term not in _STOP and not _questions(term)]


def _questions(term: str) -> bool:
    glued = term[0] in "几哪" and len(term) <= 4 and term not in ("几乎", "几何", "哪怕")
    return (
        glued
        or any(term.startswith(word) for word in ("多少", "多久", "什么", "怎么", "多长"))
        or (len(term) == 1 and not term.isdigit())
    )


def without_courtesy(text: str) -> str:
    """Take greetings, thanks and 「请问」 off the front: 「谢谢，那客梯呢」 → 「那客梯呢」; pure courtesy stays."""
    rest = text.strip()
    while True:
        head = re.match(r"[^，,。；;！!？?\s]+[，,。；;！!？?\s]+", rest)
        first = head[0].strip("，,。；;！!？? ").casefold() if head else ""
        if head and first in _COURTESY and head.end() < len(rest):
            rest = rest[head.end() :]
            continue
        polite = next((form for form in _POLITE if rest.startswith(form)), "")
        if not polite or len(rest) <= len(polite) + 1:
            return rest
        rest = rest[len(polite) :].lstrip("，, ")


def words(text: str) -> list[tuple[str, str, int]]:
    """Cut a text into (word, part of speech, place where it begins)."""
    out, place = [], 0
    for word, tag in tagged(text):
        out.append((word, tag, place))
        place += len(word)
    return out
