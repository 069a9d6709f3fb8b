"""What a question itself asks: a rewrite keeps it, whatever was said before.

In: a question and its rewrite. Out: what the question asks and its rewrite asks no more. This is what tells a follow-up
from the question before it, and a question from its answer.
"""

import re
from functools import lru_cache

from querylab.guard import figures
from querylab.guard.figures import lexicon
from querylab.guard.terms import LONGEST
from querylab.language import is_english, tagged
from querylab.text import normalise

POINTER = re.compile(
    rf"第{figures.NUMBER}[个种项条点类款份位]?|[这那前后上][一二两三四五六七八九\d几][个种类份条项款位名家张件点]"
)
"""Points at something said before (第二个, 这两种); what it means may stand in its place."""
_ASKING = re.compile(
    r"谁|哪|几|吗|呢|什么|啥|怎|如何|咋|多[少久长大高远]|为何|何[时处]|[是能可]否|有无|(\w{1,2})[不没]\1|"
    r"[?？]|[不没]有?$|"
    r"\b(?:who|what|where|when|why|how|which|is|are|do|does|can|could|may)\b"
)
_CLAUSE = re.compile(r"[，,。；;！!\s]+")
_CONTENT = ("n", "v", "a", "t", "s", "j", "l", "z", "b", "i", "eng")
"""Tags of the words that speak of something: nouns, verbs, adjectives, times, places, set phrases."""
_SAYS_NOTHING = lexicon(
    "是 有 能 要 会 可 可以 能够 需要 需 应该 应 必须 想 想问 请问 问 麻烦 让 用 来 去 到 说 提 提到 算 行 叫 "
    "做 弄 办 搞 得 给 知道 看 看看 多 少 好 大 小 高 长 人 东西 地方 时候 时间 情况 前者 后者 办法 方法 规定 "
    "要求 标准 费用 钱 具体 谢谢 好的 明白 可能 自己 啊 完 属于 有没有 会不会 是不是 能不能 要不要 可不可以 "
    "的话 超过 ok with that there this have does about many much long from your they them"
)
"""Words that every question may have and none is about."""
_ASKED_FOR = tuple(
    re.compile(pattern)
    for pattern in (
        r"谁|哪位|何人|负责人|\bwho\b",
        r"哪里|哪儿|何处|在哪|几楼|几层|地点|位置|地址|\bwhere\b",
        r"几点|几号|哪天|多久|几天|时候|何时|时间|日期|时限|期限|多早|多晚|多长|\bwhen\b",
        r"多少钱|什么价|啥价|费|价格|罚|\bcosts?\b|\bprice\b",
        r"为什么|为啥|为何|原因|怎么会|\bwhy\b",
        r"怎么|如何|怎样|方法|流程|方式|步骤|咋|\bhow (?:do|can|to)\b",
    )
)
"""Who, where, when, at what price, why and how: what a question asks for, and what else says so."""
_asks_whom = _ASKED_FOR[0].search
KEPT_LEAST = 0.51
"""Share of the letters of a question's content words that a rewrite keeps at least."""


def asking_part(question: str) -> str:
    """The clauses of a question that ask; all of it when none does.

    A user's message often first answers the turn before and then asks: 「20 公斤的，邮费多少」.
    """
    if is_english(question):
        return question
    clauses = [clause for clause in _CLAUSE.split(normalise(question[:LONGEST])) if clause]
    return " ".join([clause for clause in clauses if _ASKING.search(clause)] or clauses)


@lru_cache(maxsize=4096)
def content_words(text: str) -> tuple[str, ...]:
    """List what a text speaks of: its nouns, verbs, adjectives and times, without the words every question has."""
    plain = normalise(text[:LONGEST])
    if is_english(text):
        words = [word for word in re.findall(r"[a-z]{4,}", plain) if not _ASKING.fullmatch(word)]
    else:
        rest = figures.read(POINTER.sub(" ", plain))[1]
        words = [word for word, tag in tagged(rest) if tag.startswith(_CONTENT)]
    return tuple(word for word in dict.fromkeys(words) if word not in _SAYS_NOTHING and not _ASKING.search(word))


def unasked(question: str, rewrite: str, known: str = "") -> list[str]:
    """List what a question itself asks and its rewrite asks no more: a rewrite of an older question, or an answer.

    Args:
        question, rewrite: any texts.
        known: what was said before. It is no excuse: the question's own words stay, and they are counted, for the
            cosine of a follow-up says nothing.

    Returns:
        The question word, where the rewrite answers it or asks for something else (谁批 → 怎么申请). Content words that
        are gone: where a follow-up keeps less than :data:`KEPT_LEAST` of them, or where they were left out and no other
        word stands for them. Empty where the rewrite keeps what is asked.
    """
    if normalise(question) == normalise(rewrite):
        return []
    if word := _asked_otherwise(normalise(asking_part(question)), normalise(rewrite)):
        return [word]
    asked, there = content_words(asking_part(question)), normalise(rewrite[:LONGEST])
    kept = {word: _share(word, there) for word in asked}
    gone = [word for word, share in kept.items() if share == 0]
    if known and sum(len(word) * share for word, share in kept.items()) < KEPT_LEAST * sum(map(len, asked)):
        return gone or list(asked)
    here = normalise(question)
    if any(_share(word, here) == 0 for word in content_words(rewrite)) or (_asks_whom(there) and not _asks_whom(here)):
        return []  # 主管叫什么 → 谁: a question word may stand for them, too
    return [word for word in gone if len(word) > 1 and tagged(word)[0][1].startswith(("n", "t", "s", "b", "j"))]


def _share(word: str, text: str) -> float:
    """The share of a word's letters that stand in a text; an English word stands there by its beginning, or not."""
    if word.isascii():
        return float(re.search(rf"(?<![a-z]){re.escape(word[:5])}", text) is not None)
    return sum(letter in text for letter in word) / len(word)


def _asked_otherwise(question: str, rewrite: str) -> str:
    """The question word, where a rewrite answers it (it asks nothing, and brings a figure or a full stop) or asks for
    nothing that the question asks for, and for something else."""
    if (asks := _ASKING.search(question)) and not _ASKING.search(rewrite):
        brought = set(figures.read(rewrite)[0]) - set(figures.read(question)[0])
        return asks[0] if brought or rewrite.endswith(("。", ".")) else ""
    asked = [(form.search(question), form.search(rewrite)) for form in _ASKED_FOR]
    words = [one[0] for one, other in asked if one and not other]
    kept, others = any(one and other for one, other in asked), any(other for _, other in asked)
    return words[0] if words and others and not kept else ""
