"""Expansions: an invented passage, two other wordings, and the more general question above a question.

In: one question. Out: text to search with. Chinese leaves a question word where the answer would stand, so a question
becomes a statement when that word is exchanged in its place (几天 → 若干天, 谁 → 有关人员): everything here is built from
such exchanges and from noun phrases of the question, and never from the remains of a cut sentence.
"""

import re

from querylab.language import is_english
from querylab.rules.mentions import mentions
from querylab.rules.words import (
    GENERAL,
    Asked,
    asked,
    asking_clauses,
    clauses,
    clean,
    content_terms,
    lexicon,
    without_courtesy,
)
from querylab.settings import DRAFT_CHARACTERS

# A question word and what stands for its answer, longest first.
_STATED = tuple(
    pair.split("=")
    for pair in lexicon(
        "什么时候=规定时间 啥时候=规定时间 多长时间=若干时间 什么地方=指定地点 什么情况=规定情形 "
        "什么手续=规定手续 什么材料=规定材料 怎么办=按规定办理 怎么处理=按规定处理 怎么算=按规定计算 "
        "怎么收费=按标准收费 是什么=按规定执行 为什么=因故 多少钱=若干元 什么样=规定 哪些=有关 哪个=指定 "
        "哪位=有关人员 哪里=指定地点 哪儿=指定地点 哪家=指定单位 哪天=规定日期 哪一=指定 怎么=按规定 "
        "怎样=按规定 如何=按规定 多久=若干时间 多少=若干 多大=若干 多高=若干 多远=若干 多长=若干 "
        "何时=规定时间 什么=规定 谁=有关人员 几=若干 哪=指定 啥=规定 能不能=可以 可不可以=可以 是不是=是 "
        "要不要=须 有没有=有 会不会=会 用不用=须 能否=可以 是否=是 可否=可以"
    )
)
# A word of speech and the word that papers use.
_FORMAL = tuple(
    pair.split("=")
    for pair in lexicon(
        "弄丢了=遗失 搞丢了=遗失 丢了=遗失 弄丢=遗失 坏了=损坏 弄坏了=损坏 多少钱=费用为多少 怎么办=如何处理 "
        "怎么弄=如何办理 怎么=如何 什么时候=何时 多久=多长时间 能不能=能否 可不可以=可否 要不要=是否需要 "
        "用不用=是否需要 有没有=有无 是不是=是否 会不会=是否会 在哪里=位于何处 在哪儿=位于何处 在哪=位于何处 "
        "找谁=由谁负责 谁来=由谁 没来=缺勤 辞职=离职 拿不到=无法领取 用不了=无法使用 退钱=退款 交钱=缴费 "
        "交多少=缴纳多少 花多少=支出多少 给多少=发放多少 赔多少=赔偿多少 扣多少=扣除多少 上班=工作 "
        "请假=申请休假 最晚=最迟 早点=提前 啥=什么 咋=如何 老婆=配偶 老公=配偶 生孩子=生育 娃=子女 想要=申请 "
        "想=申请 得去=须前往 得找=须联系"
    )
)
# What kind of rule answers a kind of question.
_RULES: dict[Asked, str] = {
    "class": "分级标准", "person": "审批权限和负责人", "unit": "归口部门和职责", "place": "办理地点", "amount": "费用标准",
    "time": "时限要求", "count": "数量标准", "procedure": "办理流程", "thing": "管理规定", "yes-no": "适用条件和限制",
    "none": "管理规定",
}  # fmt: skip
_FRAMES = (
    "{topic}按本规定执行，适用范围、条件和例外情形由主管部门解释。",
    "有关人员应当在规定时限内提出申请，按要求提交材料，经负责人审批后办理。",
    "未按要求办理或者超过时限的，按有关规定处理。",
    "相关标准由归口部门定期公布，并根据实际情况调整。",
)
_FRAMES_ENGLISH = (
    "{topic}: this section sets out the rule, who approves it and the time limit that applies.",
    "A request is made to the responsible office within the period stated.",
)
_ENDINGS = re.compile(r"(?:吗|呢|么|吧|啊|呀|不|没)*[？?。！!]*$")


def topic(question: str) -> str:
    """Give the noun phrase that a question is about: its first mention of a thing; "" when it names none."""
    found = [m.text for m in mentions(question) if m.kind != "time"] or [m.text for m in mentions(question)]
    long = [text for text in found if len(text) > 2]
    return (long or found or [""])[0]


def stated(question: str) -> str:
    """Turn a question into the statement that would answer it, without its figures: 「能借几天」 → 「能借若干天」."""
    out = []
    for clause in clauses(question):
        clause = _ENDINGS.sub("", clause) or clause
        clause = re.sub(r"(\w)[不没]\1", r"\1", clause)
        for word, answer in _STATED:
            if word in clause:
                clause = clause.replace(word, answer, 1)
                break
        out.append(clause)
    return "，".join(out)


def hypothetical_passage(question: str) -> str:
    """Write the passage that might answer: the question as a statement, in the sentences of a regulation.

    Rule: :func:`stated`, then frames about its topic, up to the length that the lab asks for.
    Limits: it adds no word that only an expert would know. Example: 「借投影仪要提前几天」 →
    「借投影仪要提前若干天。投影仪按本规定执行，…」.
    """
    text = without_courtesy(clean(question))
    short, long = DRAFT_CHARACTERS
    if is_english(text):
        named = " ".join(content_terms(text)[:6]) or "The matter"
        draft = " ".join(frame.format(topic=named.capitalize()) for frame in _FRAMES_ENGLISH)
        return draft[:long]
    said = _without_digits(stated(text))[: long - 60]
    about = topic(text)
    draft = f"{said}。" if said and asking_clauses(text) else ""
    for frame in _FRAMES:
        sentence = _without_digits(frame.format(topic=about if about and len(about) < 16 else "本事项"))
        if len(draft) + len(sentence) <= long and len(draft) < long - 30:
            draft += sentence
    return draft if len(draft) >= short else draft + _FRAMES[2]


def _without_digits(text: str) -> str:
    """Write no figure: a draft that guessed one would search for it."""
    return re.sub(r"\d+(?:\.\d+)?", "若干", text)


def variants(question: str) -> list[str]:
    """Write two other wordings: its key words, and the heading that a paper would give it.

    Rule: the content words, a blank between them; words of speech exchanged for those of papers (丢了 → 遗失).
    Limits: no synonyms beyond a short list. Example: 「工具箱丢了怎么办」 → 「工具箱 丢」, 「关于工具箱遗失如何处理的规定」.
    """
    text = without_courtesy(clean(question)).rstrip("？?。！! ")
    if is_english(text):
        keys = " ".join(content_terms(text)) or text
        return [keys if keys != text else f"{keys} policy", f"Policy on: {text[:1].lower()}{text[1:]}"]
    keys = _key_words(text)
    formal = _ENDINGS.sub("", text) or text
    for word, written in _FORMAL:
        if written not in formal:
            formal = formal.replace(word, written)
    formal = "、".join(clauses(formal)) or formal
    first = " ".join(keys) or text
    return [first if first not in (text, question) else f"{first} 规定", f"关于{formal}的规定"]


def _key_words(text: str) -> list[str]:
    """The words that carry content, numbers and denials among them, in order, each once."""
    from querylab.rules.words import words

    marks = ("x", "uj", "ul", "uz", "y", "r", "c", "p", "e", "o")
    kept = [word for word, tag, _ in words(text) if tag not in marks and (len(word) > 1 or tag[:1] in "nmqdaj")]
    drop = {word for word, _ in _STATED} | {
        "请问",
        "可以",
        "需要",
        "应该",
        "能",
        "要",
        "会",
        "就",
        "都",
        "也",
        "还",
        "又",
        "再",
    }
    return [word for word in dict.fromkeys(kept) if word not in drop and asked(word) == "none"]


def step_back(question: str) -> str:
    """Write the more general question above a question: which rules hold for what it is about.

    Rule: its topic, and the kind of rule that answers what it asks (谁 → 审批权限, 几天 → 时限要求); two clauses, two kinds.
    Limits: the topic stays as specific as its noun phrase. Example: 「叉车培训多少钱」 → 「叉车培训的费用标准是什么」.
    """
    text = without_courtesy(clean(question))
    if is_english(text):
        named = " ".join(content_terms(text)[:3])
        return f"What are the general rules on {named}?" if named else "What are the general rules?"
    kinds = [_RULES[asked(clause)] for clause in asking_clauses(text)] or [_RULES["none"]]
    about = topic(text)
    for general in sorted(GENERAL, key=len, reverse=True):
        if len(general) > 1 and len(about) > len(general) + 1 and about.endswith(general):
            about = about.removesuffix(general)
    about = _without_digits(about) if about else "这类事项"
    return f"{about}的{'和'.join(dict.fromkeys(kinds[:2]))}是什么"
