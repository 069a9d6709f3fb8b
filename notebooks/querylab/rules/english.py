"""Follow-ups in English: pronouns, 「and for X?」, and the head of a question.

In: the talk and an English question. Out: the question with the person, place or thing in place of the pronoun.
"""

import re
from collections.abc import Sequence

from querylab.rules.reference import Exchange
from querylab.rules.words import lexicon

_PERSON = re.compile(r"\b(?:he|she|they|him|her|them)\b|\bthat person\b", re.IGNORECASE)
_PERSON_OWN = re.compile(r"\b(?:his|her|their)\b(?=\s+[a-z])", re.IGNORECASE)
_PLACE = re.compile(r"\bthere\b(?!\s+(?:is|are|any|be|a|an|parking|was))|\bthat place\b", re.IGNORECASE)
_THING = re.compile(r"\b(?:it|this one|that one|that|this)\b(?=\W*$|\s+(?:be|is|has|have|also|for|in|on|at|to|online|if|work|cost|include|come|need|apply|count|myself|with|by|after|before)\b)",
                    re.IGNORECASE)  # fmt: skip
_THING_OWN = re.compile(r"\bits\b", re.IGNORECASE)
_ORDER = re.compile(r"\bthe (?:(former|first one|first)|(latter|second one|second))\b", re.IGNORECASE)
_AND = re.compile(r"^(?:and |what about |how about |or |and what about )+(?:for |the |a |an )*(?P<new>[\w' -]{2,40})\?*$",
                  re.IGNORECASE)  # fmt: skip
_FOR = re.compile(r"^for (?P<new>[\w' -]{2,40})\?*$", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)+\b")
_ROLE = re.compile(
    r"\b(?:the )?(?:[a-z]+ ){0,2}(?:manager|officer|director|head|dean|chef|coach|curator|librarian|nurse|doctor|team|"
    r"desk|department|supervisor|coordinator|warden|captain|editor|engineer|adviser|advisor|host|clerk|keeper)\b"
)
_PLACES = re.compile(
    r"\b(?:at|in|to|from|by|near|outside|behind) (?:the )?((?:[A-Z][\w']*|[a-z]+)(?: [A-Z]?[\w']+){0,3})"
)
_STOP = frozenset(
    lexicon(
        "what who where when which why how is are was were do does did can could may must should will would i "
        "you we my your our the a an to for of on in at by much many long often any there be have has need "
        "get it this that if and or with from who's what's where's much cost fee"
    )
)


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
    other = _AND.match(question) or _FOR.match(question)
    if other and not re.match(r"(?:what|who|where|when|why|how|is|are|can|do|does)\b", other["new"], re.IGNORECASE):
        return _instead(last.question, other["new"].strip())
    for own, form, text in (
        ("'s", _PERSON_OWN, _person(last)),
        ("", _PERSON, _person(last)),
        ("", _PLACE, _place(last)),
        ("'s", _THING_OWN, _thing(last)),
        ("", _THING, _thing(last)),
    ):
        found = form.search(question)
        if found and text:
            return question[: found.start()] + text + own + question[found.end() :]
    return question


def _person(last: Exchange) -> str:
    found = _NAME.search(last.reply) or _ROLE.search(last.reply) or _ROLE.search(last.question)
    return found[0].strip() if found else _thing(last)


def _place(last: Exchange) -> str:
    found = _PLACES.search(last.reply) or _PLACES.search(last.question)
    return f"the {found[1].strip()}" if found else _thing(last)


def _thing(last: Exchange) -> str:
    """The longest run of content words of the question before: what it is about."""
    quoted = re.search(r"[\"“]([^\"”]{2,40})[\"”]", last.reply)
    if quoted:
        return f'"{quoted[1]}"'
    runs: list[list[str]] = [[]]
    for word in re.findall(r"[\w'-]+|[?.,!]", last.question):
        if word.casefold() in _STOP or not word[0].isalnum():
            runs.append([])
        else:
            runs[-1].append(word)
    shared = [run for run in runs if run and run[-1].casefold() in last.reply.casefold()]
    best = max(shared or runs, key=len)
    return f"the {' '.join(best)}" if best else ""


def _instead(before: str, new: str) -> str:
    """Ask the question before about something else: the last noun after a preposition, else its subject."""
    after = list(re.finditer(r"\b(?:for|of|in|on|at|to) (?:the |a |an )?([\w' -]+?)(?=\?|$)", before))
    if after:
        return before[: after[-1].start(1)] + new + before[after[-1].end(1) :]
    subject = re.search(
        r"\b(?:is|are|do|does|can|did|renew|get|book) (?:the |a |an |i )?([\w'-]+(?: [\w'-]+)?)", before, re.IGNORECASE
    )
    if subject:
        return before[: subject.start(1)] + new + before[subject.end(1) :]
    return f"{before.rstrip('?')} for {new}?"
