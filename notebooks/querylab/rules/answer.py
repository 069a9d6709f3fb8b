"""The answer: one or two sentences taken from the passages, with their source; and the reply to talk.

In: the question and (id, text) passages. Out: sentences as they stand there and ``[id]``. Nothing is written that no
passage says; nothing related gives 「资料里没有找到」.
"""

import math
import re
from collections.abc import Sequence

from querylab import text as texts
from querylab.rules import asking, named
from querylab.rules import language as lang

NOT_FOUND = "资料里没有找到"
NOT_FOUND_ENGLISH = "Not found in the documents."
_ENOUGH = 0.3  # share of the question's weight that a sentence with its headings must hold
_SECOND = 0.75  # share of the best sentence's score that a second sentence must reach
_STOP = (
    lang.FUNCTION_WORDS
    | frozenset(lang.QUESTION_WORDS.split())
    | lang.QUESTION_TAILS
    | lang.lexicon(
        "the a an of to for in on at is are was were do does did can could should would will may "
        "must i we you my our it be what how who when where "
        "which why and or by with from as that this there many much long 什么 名字 时候 多少 规定 "
        "请问 应当 应该 必须 须 进行 相关 有关"
    )
)
_FIGURES = re.compile(rf"\d|{lang.NUMBER}(?:{lang.alternatives(lang.UNITS)})|百分之")
_WANTED = {
    "amount": _FIGURES,
    "time": _FIGURES,
    "count": _FIGURES,
    "class": re.compile(r"[一二三四五特][级类档等]|[PST]\d"),
    "place": re.compile(r"[楼层室厅馆处台区]|系统|平台|中心|窗口"),
}


def content_terms(text: str) -> list[str]:
    """List the distinct search terms of a text without function and question words, in order."""
    return [
        term for term in dict.fromkeys(texts.tokenise(text)) if term not in _STOP and (len(term) > 1 or term.isdigit())
    ]


def rank_sentences(question: str, passages: Sequence[tuple[str, str]]) -> list[tuple[str, str, float]]:
    """Rank the body sentences of passages by their relation to a question: (sentence, passage id, score), best first.

    Rule: each question term counts by its rarity over the sentences at hand; terms in the passage's title and heading
    count a third; a sentence with the kind of thing asked (figures for 几/多少, a person for 谁) counts a quarter more.
    Limits: no synonyms. The score is a share of the question's weight, from 0 to about 1.3.
    """
    question = question[: lang.LONGEST]
    terms = content_terms(question)
    rows: list[tuple[str, str, set[str], set[str]]] = []
    for name, text in passages:
        lines = text.split("\n")
        body = "\n".join(lines[2:]) if len(lines) > 2 else text
        heading = set(texts.tokenise("\n".join(lines[:2]))) if len(lines) > 2 else set()
        rows += [(sentence, name, set(texts.tokenise(sentence)), heading) for sentence in texts.sentences(body)]
    if not rows or not terms:
        return []
    weights = {}
    for term in terms:
        holding = sum(term in own for _, _, own, _ in rows)
        weights[term] = math.log(1 + (len(rows) - holding + 0.5) / (holding + 0.5)) + 0.1
    total = sum(weights.values())
    kinds = [asking.asked(clause).kind for clause in asking.asking_clauses(question)]
    scored = []
    for position, (sentence, name, own, heading) in enumerate(rows):
        direct = sum(weights[term] for term in terms if term in own)
        above = sum(weights[term] for term in terms if term not in own and term in heading)
        score = (direct + above / 3) / total if direct else 0.0
        if score and _has_kind(sentence[: lang.LONGEST], kinds, question):
            score *= 1.25
        scored.append((-score, position, sentence, name))
    return [(sentence, name, round(-score, 6)) for score, _, sentence, name in sorted(scored)]


def _has_kind(sentence: str, kinds: list[str], question: str) -> bool:
    if any(kind in _WANTED and _WANTED[kind].search(sentence) for kind in kinds):
        return True
    if any(kind in ("person", "approver") for kind in kinds):
        known = [name for name, _ in named.people(sentence)] + list(named.organisations(sentence))
        return any(name not in question for name in known)
    if lang.is_english(question):
        number = re.search(r"\bhow (?:many|much|long|often)\b|\bwhen\b", question, re.IGNORECASE)
        return bool(
            (number and _FIGURES.search(sentence))
            or (re.search(r"\bwho\b", question, re.IGNORECASE) and re.search(r"[a-z] [A-Z][a-z]", sentence))
        )
    return False


def answer(question: str, passages: Sequence[tuple[str, str]]) -> str:
    """Answer from the passages: the sentence most related to the question, and a second one for a second matter.

    Rule: see :func:`rank_sentences`; below a share of the question's weight nothing counts as related.
    Limits: extractive, so a rule spread over three sentences is told in part; a denial is quoted, not understood.
    Example: 「投影仪能借几天」 with 「投影仪每次可借三天。」 → 「投影仪每次可借三天。[设备#1]」.
    """
    missing = NOT_FOUND_ENGLISH if lang.is_english(question) else NOT_FOUND
    ranked = rank_sentences(question, passages)
    if not ranked or ranked[0][2] < _ENOUGH:
        return missing
    best, source, score = ranked[0]
    out = f"{best}[{source}]"
    two = len(asking.asking_clauses(question[: lang.LONGEST])) > 1
    covered = set(texts.tokenise(best))
    for sentence, name, other in ranked[1:6]:
        adds = [term for term in content_terms(question) if term in texts.tokenise(sentence) and term not in covered]
        if other >= score * _SECOND or (two and adds and other >= _ENOUGH / 2):
            return f"{out}{' ' if lang.is_english(question) else ''}{sentence}[{name}]"
    return out


# A kind of talk, the reply in Chinese, the reply in English; the first kind that fits is taken.
_REPLIES: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(form, re.IGNORECASE), chinese, english)
    for form, chinese, english in (
        (
            r"能做|会做|能查|能帮|会些|会什么|功能|介绍|怎么用|可以问|能回答|你是谁|叫什么|机器人|"
            r"真人|本事"
            r"|what can you|who are you|help me with|robot|your name",
            "我是查公司资料的问答助手，可以帮你查制度、流程和负责人，请直接提问。",
            "I look things up in the company documents. Please ask me about policies or contacts.",
        ),
        (
            r"谢|辛苦|感谢|多亏|有劳|帮大忙|thank|thx|3q",
            "不客气，还有需要查的，随时告诉我。",
            "You're welcome. Ask me whenever you need to look something up.",
        ),
        (
            r"再见|拜|回见|明天见|下次|晚安|先走|下班了|bye|see you|good ?night",
            "再见，需要时随时来问。",
            "Goodbye. Come back whenever you have a question.",
        ),
        (
            r"抱歉|不好意思|对不起|失礼|sorry",
            "没关系，请继续说你想查的内容。",
            "No problem. Please tell me what you would like to look up.",
        ),
        (
            r"棒|厉害|不错|聪明|满意|点赞|great|nice|awesome",
            "谢谢夸奖，还有想查的请继续问。",
            "Thank you. Ask on whenever you like.",
        ),
        (
            r"你好|您好|哈喽|嗨|早|在吗|下午好|晚上好|hello|hi\b|hey|good (?:morning|afternoon|"
            r"evening)",
            "你好！我可以帮你查公司的制度和流程，请说说想了解什么。",
            "Hello! I can look up company policies and processes. What would you like to know?",
        ),
        (
            r"好的|明白|知道|收到|了解|懂|嗯|行|ok|got it|i see",
            "好的，有问题再叫我。",
            "All right. Ask me whenever you have a question.",
        ),
    )
)


def direct_reply(question: str) -> str:
    """Reply to talk in a sentence that holds no figure and no rule.

    Rule: by the first kind of talk that fits: capability, thanks, farewell, apology, praise, greeting, acknowledgement.
    Limits: small talk gets one polite line. Example: 「多谢」 → 「不客气，还有需要查的，随时告诉我。」.
    """
    english = lang.is_english(question)
    for form, chinese, other in _REPLIES:
        if form.search(question):
            return other if english else chinese
    return (
        "I am here to look things up for you. What would you like to know?"
        if english
        else "我在呢，想查什么资料请告诉我。"
    )
