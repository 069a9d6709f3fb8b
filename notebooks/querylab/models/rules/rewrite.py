"""Rewriting: the last thing a user said, made a search line that needs no conversation.

In: the conversation (oldest first) and the question. Out: one line. References are replaced by what they stand for,
ellipses are filled, spoken padding goes; a complete question comes back to the letter. Figures of an answer never
enter the line: an answer in a query is contamination (dates that 「那天」 points to are the one exception).
"""

from collections.abc import Sequence

from querylab import settings
from querylab.models.rules import antecedents, ellipsis, english, omitted, padding, references, talk
from querylab.models.rules import language as lang
from querylab.text import normalise
from querylab.types import Turn


def rewrite(history: Sequence[Turn], question: str) -> str:
    """Rewrite a question so that it stands without its conversation.

    Rule, in order: padding goes; then 「上面说的」, 前者/后者, 第二种, people, places, times and things are
    replaced; if there was nothing to replace, an ellipsis with 呢 repeats the last question, and a question
    without a topic of its own gets the last topic in front. Only the last messages count, as many as the prompt holds.
    Limits: a thing first named in an answer is found only by its head noun (「这张单子」); a word that looks like a
    pronoun inside an unknown name may be taken for one; the topic of a long clause is carried over whole.
    Greetings and thanks come back as they are.
    Example: 「门禁卡怎么补办」, then 「要多少钱」 → 「门禁卡要多少钱」.
    """
    text = question.strip()
    if not text or len(text) > lang.LONGEST or _talk(text):
        return question
    recent = list(history)[-settings.HISTORY_TURNS :]
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


def _resolve(exchanges: list[antecedents.Exchange], text: str) -> str:
    if lang.is_english(text):
        return english.resolve([(exchange.question, exchange.answer) for exchange in exchanges], text)
    plain = padding.without_padding(text, bool(exchanges))
    if not exchanges:
        return padding.without_particle(plain)
    replaced = references.resolve_references(exchanges, plain)
    if replaced != plain:
        return padding.without_particle(replaced)
    fragment = ellipsis.fragment_of(plain)
    last = antecedents.last_topical(exchanges)
    if fragment and last:
        mark = "？" if last.question[-1:] not in "？?" and plain[-1:] in "？?" else ""
        return ellipsis.carry_over(*fragment, last.question) + mark
    plain = padding.without_particle(plain)
    if last and (omitted.nameless(plain) or omitted.same_act(plain, last) or omitted.hangs_on(plain, last)):
        return omitted.omitted(exchanges, last, plain)
    return plain
