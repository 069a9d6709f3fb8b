"""Rewriting: the last thing a user said, made a search line that needs no conversation.

In: the conversation (oldest first) and the question. Out: one line. References are replaced by what they stand for,
ellipses are filled, spoken padding goes; a complete question comes back to the letter. Figures of an answer never
enter the line: an answer in a query is contamination (dates that 「那天」 points to are the one exception).
"""

from collections.abc import Sequence

from querylab.rules import antecedents, ellipsis, english, omitted, padding, phrases, references, talk
from querylab.rules import language as lang
from querylab.text import normalise
from querylab.types import Turn

_REMEMBERED = 8
"""Messages that count. The lab's prompt holds fewer (``settings.HISTORY_TURNS``); whoever calls the rules may give more."""


def rewrite(history: Sequence[Turn], question: str) -> str:
    """Rewrite a question so that it stands without its conversation.

    Rule, in order: padding goes; a question that goes back to an earlier turn takes that turn for the last; then
    「上面说的」, 前者/后者, 第二种, what is told by a description, people, places, times and things are replaced; if there
    was nothing to replace, an ellipsis repeats the last question, and a question without a topic of its own gets the
    last topic in front. Only the last eight messages count (the lab's prompt holds four).
    Limits: of follow-ups nobody had seen about half are resolved (``checks.rates --set heldout``): no knowledge of the
    world, no synonyms; a word that looks like a pronoun inside an unknown name may be taken for one; the topic of a
    long clause is carried over whole.
    Greetings and thanks come back as they are.
    Example: 「门禁卡怎么补办」, then 「要多少钱」 → 「门禁卡要多少钱」.
    """
    text = question.strip()
    asks_again = bool(history) and text.startswith("那") and text.rstrip("？?").endswith("呢")
    if not text or len(text) > lang.LONGEST or (_talk(text) and not asks_again):
        return question
    recent = list(history)[-_REMEMBERED:]
    exchanges: list[antecedents.Exchange] = []
    for index, turn in enumerate(recent):
        if turn["role"] != "user" or not turn["content"].strip() or _talk(turn["content"]):
            continue
        answer = "\n".join(_replies(recent, index))[: lang.LONGEST]
        said = _resolve(exchanges, turn["content"].strip()[: lang.LONGEST])
        exchanges.append(antecedents.Exchange(said, answer))
    if recent and recent[0]["role"] == "assistant":
        exchanges.insert(0, antecedents.Exchange("", recent[0]["content"][: lang.LONGEST]))
    result = _resolve(exchanges, text)
    return question if not result.strip() or result == text else result


def _talk(text: str) -> bool:
    """Greetings and thanks refer to nothing, and nothing refers to them."""
    return talk.is_talk(normalise(text))


def _replies(turns: Sequence[Turn], index: int) -> list[str]:
    out = []
    for turn in turns[index + 1 :]:
        if turn["role"] == "user":
            break
        out.append(turn["content"])
    return out


def _returned_to(exchanges: list[antecedents.Exchange], text: str) -> list[antecedents.Exchange]:
    """Put the exchange that a question goes back to last: one that has a word of it when the latest has none.

    Example: after talk of a lift and then of parking, 「电梯那个师傅」 goes back to the lift.
    """
    words = [
        unit.text
        for unit in phrases.units(text)
        if unit.kind == "content" and len(unit.text) > 1 and unit.tag[:1] in "nvjl" and not ellipsis.is_class(unit.text)
    ]
    ranked = [exchange for exchange in exchanges if any(word in exchange.question + exchange.answer for word in words)]
    if not ranked or exchanges[-1] in ranked:
        return exchanges
    return [exchange for exchange in exchanges if exchange is not ranked[-1]] + ranked[-1:]


def _resolve(exchanges: list[antecedents.Exchange], text: str) -> str:
    if lang.is_english(text):
        return english.resolve([(exchange.question, exchange.answer) for exchange in exchanges], text)
    asked, space, rest = text.partition(" ")
    if exchanges and space and asked.endswith("呢") and len(asked) > 2:
        return f"{_resolve(exchanges, asked)} {rest}"
    plain = padding.without_padding(references.pointing(exchanges, text), bool(exchanges))
    if not exchanges:
        return padding.without_particle(plain)
    ordered = _returned_to(exchanges, plain)
    replaced = references.resolve_references(ordered, plain)
    if replaced != plain:
        subject = phrases.topic(ordered[-1].question) if ordered is not exchanges else ""
        if subject and not any(subject[at : at + 2] in replaced for at in range(len(subject) - 1)):
            replaced = references.put("", subject, replaced)  # what an earlier turn was about is named again
        return padding.without_particle(replaced)
    if plain.endswith(("了呢", "坏呢", "丢呢")):
        plain = references.in_full(exchanges, plain)
    head, space, rest = plain.partition(" ")
    fragment = ellipsis.fragment_of(head if head.endswith("呢") else plain)
    if not fragment and space and len(head) <= 4 and not ellipsis.asks(rest):
        fragment = ellipsis.fragment_of(head)
        head += "呢" if fragment else ""
    last = antecedents.last_topical(exchanges)
    if fragment and last:
        mark = "？" if last.question[-1:] not in "？?" and plain[-1:] in "？?" else ""
        carried = ellipsis.carry_over(*fragment, last.question) + mark
        return carried + space + rest if head.endswith("呢") else carried
    plain = padding.without_particle(plain)
    full = references.in_full(exchanges, plain)
    if full != plain:
        return full
    if last and (omitted.nameless(plain) or omitted.hangs_on(plain, last)):
        return omitted.omitted(exchanges, last, plain)
    if last and references.points_back(plain):
        return references.put("", antecedents.topic_meant(exchanges), plain)
    return plain
