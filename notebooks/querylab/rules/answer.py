"""The answer: one or two sentences taken from the passages, with their source; and the reply to small talk.

In: the question and (id, text) passages. Out: sentences as they stand there and ``[id]``. Nothing is written that no
passage says; nothing related gives 「资料里没有找到」.
"""

import math
import re
from collections.abc import Sequence

from querylab import text as texts
from querylab.language import is_english
from querylab.rules.intent import TALK, nearest
from querylab.rules.mentions import mentions
from querylab.rules.words import LONGEST, Asked, asked, asking_clauses, clean, content_terms

NOT_FOUND = "资料里没有找到"
NOT_FOUND_ENGLISH = "Not found in the documents."
ENOUGH = 0.3
"""Share of the question's weight that a sentence with its headings must hold."""
SECOND = 0.75
"""Share of the best sentence's score that a second sentence must reach."""

_FIGURE = re.compile(r"\d|[一二三四五六七八九十百两半]+(?:个|天|日|月|年|元|小时|分钟|次|份|人|周|倍|成)|百分之")
_LEVEL = re.compile(r"[一二三四五六甲乙丙丁特][级类档等]|[PST]\d")


def rank_sentences(question: str, passages: Sequence[tuple[str, str]]) -> list[tuple[str, str, float]]:
    """Rank the body sentences of passages by their relation to a question: (sentence, passage id, score), best first.

    Rule: each question term counts by its rarity over the sentences at hand, one that none of them holds by the mean of
    the others; terms in the passage's title and heading
    count a third; a sentence with the kind of thing asked (figures for 几天, a person for 谁) counts a quarter more.
    Limits: no synonyms. The score is a share of the question's weight, from 0 to about 1.3.
    """
    question = clean(question)
    terms = content_terms(question)
    rows: list[tuple[str, str, set[str], set[str]]] = []
    for name, text in passages:
        lines = text.split("\n")
        body = "\n".join(lines[2:]) if len(lines) > 2 else text
        heading = set(texts.tokenise("\n".join(lines[:2]))) if len(lines) > 2 else set()
        rows += [(sentence, name, set(texts.tokenise(sentence)), heading) for sentence in texts.sentences(body)]
    if not rows or not terms:
        return []
    holding = {term: sum(term in own for _, _, own, _ in rows) for term in terms}
    weights = {
        term: math.log(1 + (len(rows) - count + 0.5) / (count + 0.5)) + 0.1 for term, count in holding.items() if count
    }
    if not weights:
        return []
    unseen = sum(weights.values()) / len(weights)  # rarity over these passages says nothing of a word they lack
    weights = {term: weights.get(term, unseen) for term in terms}
    total = sum(weights.values())
    kinds = {asked(clause) for clause in asking_clauses(question)}
    scored = []
    for position, (sentence, name, own, heading) in enumerate(rows):
        direct = sum(weights[term] for term in terms if term in own)
        above = sum(weights[term] for term in terms if term not in own and term in heading)
        score = (direct + above / 3) / total if direct or above > total / 2 else 0.0
        if score and any(_holds(sentence[:LONGEST], kind, question) for kind in kinds):
            score *= 1.25
        scored.append((-score, position, sentence, name))
    return [(sentence, name, round(-score, 6)) for score, _, sentence, name in sorted(scored)]


def _holds(sentence: str, kind: Asked, question: str) -> bool:
    """Say whether a sentence holds the kind of thing that is asked for, and that the question does not name."""
    match kind:
        case "amount" | "time" | "count":
            return bool(_FIGURE.search(sentence))
        case "class":
            return bool(_LEVEL.search(sentence))
        case "person" | "unit":
            if is_english(sentence):
                return bool(re.search(r"[a-z] [A-Z][a-z]", sentence))
            return any(m.kind in ("person", "unit") and m.text not in question for m in mentions(sentence))
        case "place":
            return any(m.kind == "place" and m.text not in question for m in mentions(sentence))
    return False


def answer(question: str, passages: Sequence[tuple[str, str]]) -> str:
    """Answer from the passages: the sentence most related to the question, and a second one for a second matter.

    Rule: see :func:`rank_sentences`; below a share of the question's weight nothing counts as related.
    Limits: extractive, so a rule spread over three sentences is told in part; a denial is quoted, not understood.
    Example: 「投影仪能借几天」 with 「投影仪每次可借三天。」 → 「投影仪每次可借三天。[设备#1]」.
    """
    english = is_english(question)
    ranked = rank_sentences(question, passages)
    if not ranked or ranked[0][2] < ENOUGH:
        return NOT_FOUND_ENGLISH if english else NOT_FOUND
    best, source, score = ranked[0]
    out = f"{best}[{source}]"
    two = len(asking_clauses(clean(question))) > 1
    covered = set(texts.tokenise(best))
    for sentence, name, other in ranked[1:6]:
        own = texts.tokenise(sentence)
        adds = [term for term in content_terms(question) if term in own and term not in covered]
        if other >= score * SECOND or (two and adds and other >= ENOUGH / 2):
            return f"{out}{' ' if english else ''}{sentence}[{name}]"
    return out


# The reply to each kind of talk, in Chinese and in English.
_REPLIES = {
    "capability": ("我是查公司资料的问答助手，请直接提问。", "I look things up in the company documents. Please ask."),
    "thanks": ("不客气，还有需要查的，随时告诉我。", "You're welcome. Ask me whenever you need to look something up."),
    "farewell": ("再见，需要时随时来问。", "Goodbye. Come back whenever you have a question."),
    "apology": ("没关系，请继续说你想查的内容。", "No problem. Please tell me what you would like to look up."),
    "praise": ("谢谢夸奖，还有想查的请继续问。", "Thank you. Ask on whenever you like."),
    "greeting": ("你好！请说说想了解什么。", "Hello! What would you like to know?"),
    "acknowledgement": ("好的，有问题再叫我。", "All right. Ask me whenever you have a question."),
    "smalltalk": (
        "我在呢，想查什么资料请告诉我。",
        "I am here to look things up for you. What would you like to know?",
    ),
}


def direct_reply(question: str) -> str:
    """Reply to talk in a sentence that holds no figure and no rule: the one for the label of the nearest example.

    Limits: small talk gets one polite line. Example: 「多谢」 → 「不客气，还有需要查的，随时告诉我。」.
    """
    plain = clean(question)
    label = nearest(plain, TALK)[0][1] if plain else "smalltalk"
    chinese, english = _REPLIES[label]
    return english if is_english(question) else chinese
