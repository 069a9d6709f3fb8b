"""Follow-ups in English: pronouns, 「and for X?」, former and latter.

In: the talk and an English question. Out: the question with the person, place or thing in place of the pronoun.
"""

import re
from collections.abc import Sequence

from querylab.rules.reference import Exchange
from querylab.rules.words import lexicon

_PERSON = re.compile(r"\b(?:he|she|they|him|her|them|his|their|that person)\b", re.IGNORECASE)
_PLACE = re.compile(r"\bthere\b(?!\s+(?:is|are|any|be|a|an|parking|was))|\bthat place\b", re.IGNORECASE)
_THING = re.compile(r"\b(?:it|its|this one|that one|(?:that|this)(?=\W*$|\s+[a-z]+ly\b))(?![\w'])", re.IGNORECASE)
_ORDER = re.compile(r"\bthe (?:(former|first one|first)|(latter|second one|second))\b", re.IGNORECASE)
_OTHER = re.compile(r"^(?:(?:and|or|what about|how about|for|the|a|an) )+(?P<new>[\w' -]{2,40})\?*$", re.IGNORECASE)
_ASKS = re.compile(r"(?:what|who|where|when|why|how|is|are|can|do|does|which)\b", re.IGNORECASE)
_NAME = re.compile(r"\b(?:M[rs]s?\. )?[A-Z][a-z]+ [A-Z][a-z]+\b|\bM[rs]s?\. [A-Z][a-z]+\b")
_ROLE = re.compile(
    r"\bthe (?:[a-z]+ ){0,2}(?:[a-z]+er|[a-z]+or|[a-z]+ist|head|dean|coach|team|desk|department|clerk)\b"
)
_PLACES = re.compile(
    r"\b(?:at|in|to|from|by|near|outside) (?:the |our )?((?:[A-Z][\w']*|[a-z]+)(?: [A-Z][\w']+| [a-z]+){0,2})", re.I
)
_STOP = (*lexicon("stop"), "any", "have", "has", "need", "get", "if", "cost", "fee", "s", "where's", "what's", "who's")


def rewrite(talk: Sequence[Exchange], question: str) -> str:
    """Complete an English question from the talk.

    Limits: one reference a question; a noun phrase is a run of words between function words.
    Example: 「Can I transfer it?」 after 「How do I renew a parking permit?」 → 「Can I transfer the parking permit?」.
    """
    if not talk:
        return question
    last = talk[-1]
    ordered = _ORDER.search(question)
    pair = re.search(r"([\w-]+(?: [\w-]+)?) (?:and|or|vs) (?:the |a |an )?([\w-]+(?: [\w-]+)?)", last.question)
    if ordered and pair:
        chosen = " ".join(word for word in pair[1 if ordered[1] else 2].split() if word.casefold() not in _STOP)
        return question[: ordered.start()] + f"the {chosen}" + question[ordered.end() :]
    other = _OTHER.match(question)
    if other and not _ASKS.match(other["new"]):
        return _instead(last.question, other["new"].strip())
    role = _NAME.search(last.reply) or _ROLE.search(last.reply) or _ROLE.search(last.question)
    place = _PLACES.search(last.reply) or _PLACES.search(last.question)
    thing = _thing(last)
    for form, text in (
        (_PERSON, role[0] if role else thing),
        (_PLACE, f"the {place[1]}" if place else thing),
        (_THING, thing),
    ):
        found = form.search(question)
        if found and text:
            own = (
                "'s"
                if found[0].casefold() in ("his", "their", "its")
                or (re.match(r" [a-z]+\W*$", question[found.end() :]) and found[0].casefold() == "her")
                else ""
            )
            return question[: found.start()] + text + own + question[found.end() :]
    return question


def _thing(last: Exchange) -> str:
    """Say what the question before is about: its longest run of content words, best one that the reply repeats."""
    quoted = re.search(r"[\"“]([^\"”]{2,40})[\"”]", last.reply)
    if quoted:
        return f'"{quoted[1]}"'
    runs: list[list[str]] = [[]]
    for word in re.findall(r"[\w'-]+|[?.,!]", last.question):
        runs = [*runs, []] if word.casefold() in _STOP or not word[0].isalnum() else [*runs[:-1], [*runs[-1], word]]
    shared = [run for run in runs if run and run[-1].casefold() in last.reply.casefold()]
    best = max(shared or runs, key=len)
    return f"the {' '.join(best)}" if best else ""


def _instead(before: str, new: str) -> str:
    """Ask the question before about something else: its last noun after a preposition, else its subject."""
    found = re.search(r".*\b(?:for|of|in|on|at|to) (?:the |a |an )?([\w' -]+?)(?=\?|$)", before) or re.search(
        r"\b(?:is|are|do|does|can|did|renew|get|book) (?:the |a |an |i )?([\w'-]+(?: [\w'-]+)?)", before, re.IGNORECASE
    )
    return before[: found.start(1)] + new + before[found.end(1) :] if found else f"{before.rstrip('?')} for {new}?"
