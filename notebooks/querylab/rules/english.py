"""Rewriting in English: pronouns, "that document", "what about…", "the latter", padding.

In: the conversation as (question, answer) pairs, oldest first, and the question. Out: one line.
"""

import re

from querylab.rules import language as lang

_LEAD = re.compile(
    r"^(?:(?:hi|hello|hey|ok|okay|thanks|thank you|sorry|excuse me|please|well|so|um|uh)\b(?: "
    r"there| so much| a lot| very much)?[\s,.!]+"
    r"|(?:could|can|would) you (?:please )?tell me\s+|(?:i was wondering|i wonder|i'd like to "
    r"know|do you know)\s+)+",
    re.IGNORECASE,
)
_FRAGMENT = re.compile(
    r"^(?:and |but |so |then )*(?:what about|how about|and|for(?= an?\b| the\b)|what if it is|what if it's|same "
    r"for)\s+(?P<body>[^?]+?)\s*\??$",
    re.IGNORECASE,
)
_AUXILIARY = r"(?:is|are|was|were|do|does|did|can|could|should|would|will|may|must|has|have|am)"
_HUMAN = re.compile(
    r"\b(?:he|she|him|her(?!s)|his|that person|this person|that manager|they|them|their)\b", re.IGNORECASE
)
_ROLE = re.compile(
    r"\b(?:(?:[A-Z][\w&-]*|of|the)\s+)*(?:[A-Z][\w-]*\s+)?(?:[Mm]anager|[Oo]fficer|"
    r"[Dd]irector|[Hh]ead|[Ll]ead|[Cc]oordinator|[Ss]upervisor"
    r"|[Aa]dministrator|[Ll]ibrarian|[Cc]urator|[Ee]ngineer|[Aa]ssistant|[Ss]ecretary|"
    r"[Tt]rainer|[Cc]oach|[Tt]eacher|[Ee]ditor|[Aa]gent|[Ss]pecialist"
    r"|[Pp]resident|[Cc]hair(?:person)?|[Cc]ommittee|[Tt]eam|[Dd]epartment|[Oo]ffice|"
    r"[Dd]esk)\b"
)
_DOCUMENT = re.compile(
    r"\b(?:Form|Schedule|Annex|Appendix) [A-Z\d][\w.-]*|"
    r"\b(?:[A-Z][\w-]*\s+)+(?:Agreement|Policy|Form|Handbook|Guide|Guidelines|Manual|"
    r"Regulations?|Rules|Standard|Code|Procedure|Charter|Letter|Certificate|Plan)\b"
)
_PLACE = re.compile(
    r"\b(?=(?:Gate|Room|Platform|Pier|Hall|Building|Desk|Stand)\s)((?:Gate|Room|Platform|Pier|Hall|Building|Desk|Stand) (?:\d+|[A-Z]\b)\w*)|"
    r"\b(?:[Aa]t|[Ii]n|[Tt]o|[Ff]rom|[Oo]n)\s+(?:the\s+)?((?:[A-Z][\w-]*|\d+)(?:\s+(?:[A-Z][\w-]*|\d+|"
    r"of))*\s+"
    r"(?:Garage|Lot|Park|Area|Zone|Hub|Desk|Hall|Room|Center|Centre|Office|Building|Library|"
    r"Store|Branch|Gate|Lobby|"
    r"Counter|Warehouse|Station|Gym|Museum|Lab|Clinic|Floor))\b"
)
_OFFERED = re.compile(
    r"\b(?:take|use|get|borrow|try|join|book|request|grab|buy|ask for|[Tt]here's|[Tt]here is)\s+((?:the|an?|our)\s+[\w' -]+?)(?= from| at| in| for| on| to| of|[,.;]|$)"
)
_SPOT = re.compile(
    r"\b(?=(?:[A-Z][\w'-]+\s+)+[a-z])((?:[A-Z][\w'-]+\s+)+(?:branch|office|desk|hall|room|building|store|station|gym|campus|wing|pier))\b|\b(?:[Aa]t|[Ii]n|[Tt]o|[Ff]rom|[Oo]n)\s+the\s+((?:[\w'-]+\s+){0,3}(?:garage|lot|park|desk|hall|room|center|centre|office|building|"
    r"library|store|branch|gate|lobby|counter|warehouse|station|gym|museum|lab|clinic|floor|cafe|kitchen|yard))\b"
)
_NAMED = re.compile(  # "by the night supervisor, Ann Lee", "contact Ann Lee"
    r"\b(?:[Bb]y|[Cc]ontact|[Aa]sk|[Ss]ee|[Cc]all|[Ee]mail|is|are|and|[Ii]t's|[Cc]aptain|[Dd]eputy|[Cc]hef|[Cc]oach|[Dd]octor)\s+"
    r"((?:(?:the|our|an?)\s+)?(?:[a-z]+\s+){0,4}(?:[a-z]+,\s+)?[A-Z][\w'-]+\s+[A-Z][\w'-]+)\b(?!\s+[A-Z])"
)
_APPOSED = re.compile(r"\b[a-z]{3,},\s+([A-Z][\w'-]+\s+[A-Z][\w'-]+)\s*[,.;]")
_SOMEBODY = re.compile(
    r"\b(?:by|contact|ask|see)\s+((?:the|our|an?)\s+[a-z][a-z -]{2,30}?(?:er|or|an|ist|nt|ee|head|chief|staff|crew))\b"
)
_NOT_PERSONS = re.compile(
    r"\b(?:Office|Desk|Counter|Policy|Guide|Form|Handbook|Agreement|Centre|Center|Building|Room|Hall|Gate|Floor|Team|Department|"
    r"Committee|Manager|Officer|Director|January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_ARTICLE = re.compile(r"\b(?:Clause|Section|Article|Rule|Paragraph)\s+\d[\d.]*\d?(?:\s+of\s+the(?:\s+[A-Z][\w-]*)+)?")
_THING = re.compile(
    r"\b(?:it|this one|that one|this|that|these|those)\b(?:\s+(?P<head>document|form|"
    r"agreement|policy|rule|clause|section|article|paragraph|place|location|room|desk|fee|card|one|pass|"
    r"file|regulation|system|service|time|date))?",
    re.IGNORECASE,
)
_OWNERLESS = re.compile(
    r"^what(?:'s| is| are) the (?:opening hours|hours|fees?|price|cost|deadline|limit|phone "
    r"number|email|address|rules|requirements|maximum|minimum|procedure|steps)\s*\??$",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"[$€£¥]?\d[\d,.]*%?(?:\s*(?:yuan|dollars|days?|hours?|minutes?|weeks?|months?|years?|"
    r"percent))?"
)


_COMMON = lang.lexicon(
    "what how who when where which why is are was were do does did can could should would will may must has have "
    "i we you much many long often if and or but the a an to for of in on at with be so then also only still need "
    "get use pay take cost close open download find about there lose lost "
)


def resolve(exchanges: list[tuple[str, str]], question: str) -> str:
    """Rewrite an English follow-up.

    Rule: padding goes; "what about X" repeats the last question with X in the place of what shares its last word, or
    of the last noun phrase; he/she/they take the role title of the last reply; "that document/place" the titled name
    there; it/that/this the topic of the last question.
    Limits: no grammar: "that" as a conjunction is left alone only after a verb or noun. Example: "What is the parking
    fee?", "How do I pay it?" → "How do I pay the parking fee?".
    """
    text = _LEAD.sub("", question).strip() or question
    usable = [(asked, answer) for asked, answer in exchanges if re.search("[A-Za-z]", asked)]
    if not usable:
        return text
    if other := re.search(r"\bthe other(?: one)?\b", text):
        two = re.search(r"\bthe ([\w -]+?) (?:and|or) the ([\w -]+?)(?=[,?]|$| \w+ed\b)", usable[-1][0])
        if two:
            left = two[2] if two[1] in usable[-1][1] else two[1]
            return f"{text[: other.start()]}the {left}{text[other.end() :]}"
    if back := re.match(
        r"(?:.{0,8})?back to (?:my |the |your )?([a-z]+)(?: question| one| thing| point| bit)?[\s,.:-]+", text, re.I
    ):
        word = back.group(1).lower()
        said = next((pair for pair in usable if word in " ".join(pair).lower()), usable[0 if word == "first" else -1])
        about = topic(said[0])
        text = text[back.end() :]
        return (
            re.sub(r"\s*\??$", f" for {about}?", text, count=1) if about and about.lower() not in text.lower() else text
        )
    asked = usable[-1][0]
    fragment = _FRAGMENT.match(text) or re.match(r"^(?P<body>[A-Za-z'-]+(?: [A-Za-z'-]+)?)\?$", text)
    if fragment:
        link = re.match(r"(?:for|with|on|in|at|to)\s+", fragment["body"])
        people = re.search(
            r"\b(?:children|kids|students|adults|seniors|members|groups|visitors|beginners|men|women)$",
            fragment["body"],
        )
        if link and (link.group().lower() not in asked.lower() or people):
            return re.sub(r"\s*([?!.]*)\s*$", rf" {fragment['body']}\1", asked, count=1)
        return _again(asked, fragment["body"][link.end() if link else 0 :])
    text = re.sub(r"\bthe second one\b", "the latter", re.sub(r"\bthe first one\b", "the former", text))
    text = re.sub(
        r"\bthe (?:second|last)(?: one| option)?(?=\s*\??$| (?:include|come|have|cost|is|can|need))", "the latter", text
    )
    text = re.sub(
        r"\bthe first(?: one| option)?(?=\s*\??$| (?:include|come|have|cost|is|can|need))", "the former", text
    )
    if re.search(r"\b(?:former|latter)\b", text, re.IGNORECASE):
        return _former_latter(usable, text)
    text = re.sub(r"\bthe ([a-z]+(?:ed|ing)) one\b", r"the one that is \1", text)
    if told := re.search(
        r"\bthe one (?:that(?:'s| is)? |which is |with |that )?(?P<what>[\w ]+?)(?=\s*\??$|,| reopen| cost| include| start| open)",
        text,
    ):
        for _, reply in reversed(usable):
            clause = next((part for part in re.split(r"[.;,]", reply) if told["what"] in part), "")
            if owner := re.match(
                r"\s*(?:and |but )?((?:[Tt]he |[Aa]n? )?[\w' -]+?) (?:is|are|was|has|have|sold|costs|comes|includes)\b",
                clause,
            ):
                return text[: told.start()] + owner.group(1) + text[told.end("what") :]
    if pointed := re.search(r"\b(?:that|this|those|these) ([a-z]{3,})\b", text):
        noun = pointed.group(1)
        for _, reply in reversed(usable):
            longer = re.search(rf"\b(?:the|an?|our|any)\s+((?:[\w'-]+ ){{1,2}}{noun.rstrip('s')}s?)\b", reply)
            if longer:
                return text[: pointed.start()] + "the " + longer.group(1) + text[pointed.end() :]
    human = _HUMAN.search(text)
    if human and not _own_antecedent(text[: human.start()]):
        role = next((found for _, reply in reversed(usable) if (found := _person(reply))), "") or next(
            (found.group().strip() for _, reply in reversed(usable) if (found := _ROLE.search(_uncapitalised(reply)))),
            "",
        )
        if role:
            titled = (
                bool(_TITLED.match(role))
                or role.lower().startswith(("the ", "our ", "a ", "an "))
                or re.match(r"[A-Z][\w'-]+ [A-Z]", role)
            )
            role = role if titled and not _ROLE.fullmatch(role) else f"the {role.removeprefix('the ')}"
            possessive = human.group().lower() in ("her", "his", "their")
            possessive = possessive and bool(re.match(r"\s+\w", text[human.end() :]))
            return text[: human.start()] + role + ("'s" if possessive else "") + text[human.end() :]
    if human and human.group().lower() in ("they", "them", "their") and topic(asked):
        return text[: human.start()] + topic(asked) + text[human.end() :]
    there = re.search(
        r"(?:(?<=get )|(?<=go )|(?<=near )|(?<=over )|(?<=from )|(?<=in )|(?<=around ))there\b|\bthere\b(?=\s*[?.]?$|\s+(?:at|on|in|after|before|for|during|by|when)\b)",
        text,
    )
    spots = (_PLACE.search(reply) or _SPOT.search(reply) for _, reply in reversed(usable))
    spot = next((next(group for group in hit.groups() if group) for hit in spots if hit), "")
    if there and spot:
        before = text[: there.start()].rstrip().rpartition(" ")[2].lower()
        link = (
            "the "
            if before in ("near", "from", "in", "around")
            else "to the "
            if before in ("get", "go")
            else "in the "
        )
        return f"{text[: there.start()]}{link}{spot}{text[there.end() :]}"
    if _OWNERLESS.match(text) and topic(asked):
        return re.sub(r"\s*\??$", f" for {topic(asked)}?", text, count=1)
    for found in _THING.finditer(text):
        if (
            re.search(r"\b\w+\s$", text[: found.start()])
            and found.group().lower() == "that"
            and _conjunction(text, found.start())
        ):
            continue
        if _own_antecedent(text[: found.start()]):
            continue
        head = (found["head"] or "").lower()
        new = ""
        if head in ("document", "form", "agreement", "policy", "rule", "file", "regulation"):
            new = next((f"the {hit.group()}" for _, reply in reversed(usable) if (hit := _DOCUMENT.search(reply))), "")
        if head in ("clause", "section", "article", "paragraph", "rule", "policy"):
            new = next((hit.group() for _, reply in reversed(usable) if (hit := _ARTICLE.search(reply))), "") or new
        if head in ("place", "location", "room", "desk"):
            new = next(
                (f"the {hit.group(hit.lastindex)}" for _, reply in reversed(usable) if (hit := _PLACE.search(reply))),
                "",
            )
        offer = _OFFERED.search(usable[-1][1]) if re.match(r"what if|where|my |i |the ", asked, re.I) else None
        if not new and offer:
            new = offer.group(1)
        if not new:
            new = topic(asked)
            if head and head not in ("one", "document", "place") and new:
                new = f"{new} {head}"
        if new:
            return text[: found.start()] + new + text[found.end() :]
    return text


_TITLED = re.compile(r"\b(?:Mr|Ms|Mrs|Miss|Dr|Prof|Professor)\.? [A-Z][\w'-]+(?: [A-Z][\w'-]+)?")


def _person(reply: str) -> str:
    """Find the person that a reply names, with the role before the name; empty when it names none."""
    if titled := _TITLED.search(reply):
        return titled.group()
    if apposed := _APPOSED.search(reply):
        return apposed.group(1)
    named = next((hit.group(1) for hit in _NAMED.finditer(reply) if not _NOT_PERSONS.search(hit.group(1))), "")
    if named or _ROLE.search(_uncapitalised(reply)):
        return named
    somebody = _SOMEBODY.search(reply)
    return somebody.group(1) if somebody else ""


def topic(question: str) -> str:
    """Find what an English question is about: its last noun phrase without auxiliaries and subjects.

    Example: "How do I renew a parking permit?" → "a parking permit".
    """
    body = re.sub(r"[?.!]+$", "", question.strip())
    body = re.sub(
        rf"^(?:what|how|who|when|where|which|why|whose)?\s*(?:much|many|long|often|far|kinds? of|"
        rf"documents?)?\s*(?:{_AUXILIARY}\b)?\s*"
        r"(?:i|we|you|one|there)?\b\s*(?:need to|have to|get to|want to)?\s*",
        "",
        body,
        count=1,
        flags=re.IGNORECASE,
    )
    noun = re.search(
        r"\b((?:the|a|an|my|our|your)\s+[\w' -]+?)(?=\s+(?:at|in|on|for|to|from|with|when|if|"
        r"after|before|be|cost|take|work|include)\b|$)",
        body,
    )
    if noun:
        return noun.group(1)
    body = re.split(rf"\s+{_AUXILIARY}\s+(?:i|we|you|they|he|she|it|one|the)\b", body, maxsplit=1, flags=re.IGNORECASE)[
        0
    ]
    words = body.split()
    if len(words) > 1 and re.search(r"(?:s|es)$", words[0]) and question[:1].lower() == "w":
        words = words[1:]
    return " ".join(words)


def _again(asked: str, fragment: str) -> str:
    """Ask the last question for something else: the phrase with the same last word, else the last noun phrase."""
    mark = "?" if asked.rstrip().endswith("?") else ""
    body = asked.rstrip("?! .")
    if re.search(r" ones?$", fragment) and (subject := topic(asked)):
        fragment = re.sub(r" ones?$", f" {subject.split()[-1]}", fragment)  # the evening one: the evening course
    if re.fullmatch(r"(?:\d+|two|three|four|five|six|ten)", fragment):
        return f"{body} for {fragment}{mark}"
    size = re.fullmatch(r"(an?|the) ([a-z]+)", fragment)
    if (
        size
        and (pair := re.search(r"\b(?:an?|the) [a-z]+ ([a-z]+)\b", body))
        and size[2] not in body
        and pair[1] != "for"
    ):
        return body[: pair.start()] + f"{fragment} {pair[1]}" + body[pair.end() :] + mark
    if not re.search(r"\s", fragment):  # unpowered: in the place of powered
        for word in re.findall(r"[A-Za-z]+", body):
            shorter, longer = sorted((word.lower(), fragment.lower()), key=len)
            if len(shorter) > 3 and shorter != longer and (longer.endswith(shorter) or shorter[-3:] == longer[-3:]):
                return (
                    re.sub(rf"\b(?:an?\s+)?{word}\b", lambda hit: ("a " if " " in hit.group() else "") + fragment, body)
                    + mark
                )
    last = fragment.split()[-1].lower()
    words = body.split()
    for index in range(len(words) - 1, -1, -1):
        if words[index].lower().rstrip("s") == last.rstrip("s"):
            first = max(index - len(fragment.split()) + 1, 0)
            return " ".join([*words[:first], fragment, *words[index + 1 :]]) + mark
    spot = re.search(r"\b(for|of|about|with|to|by|on|in)\s+((?:a|an|the)\s+)?([^?]+)$", body)
    if spot:
        return body[: spot.start(2) if spot.group(2) else spot.start(3)] + fragment + mark
    subject = topic(asked)
    if re.match(r"(?:do|can|does|could|will) (?:you|i|we|they) ", asked, re.I) and " " in subject:
        subject = subject.split(" ", 1)[1]
    return body.replace(subject, fragment, 1) + mark if subject and subject in body else f"{body} {fragment}{mark}"


def _former_latter(usable: list[tuple[str, str]], text: str) -> str:
    for asked, answer in reversed(usable):
        for source in (asked, answer):
            listed = re.search(
                r"\b(?:the|an?) ([\w' -]{3,30}?)(?: \([^)]*\))?,? (?:and|or) (?:the|an?) ([\w' -]{3,30}?)(?= \(|[,.;?]|$)",
                source,
            )
            rows = re.findall(
                r"(?:^|[:,;.]\s+)(?:the )?([A-Z][\w-]+) (?:gives|costs|has|is|includes|comes|takes|runs|offers|covers)\b",
                source,
            )
            if not listed and len(rows) == 2:
                text = re.sub(r"\bthe former\b", rows[0], text, flags=re.IGNORECASE)
                return re.sub(r"\bthe latter\b", rows[1], text, flags=re.IGNORECASE)
            found = listed or re.search(
                r"((?:(?:a|an|the)\s+)?[\w-]+(?:\s+[\w-]+)?)\s+(?:or|and|versus|vs\.?)\s+((?:(?:a|an|"
                r"the)\s+)?[\w-]+(?:\s+[\w-]+)?)",
                source,
            )
            if found:
                text = re.sub(r"\bthe former\b", found.group(1), text, flags=re.IGNORECASE)
                return re.sub(r"\bthe latter\b", found.group(2), text, flags=re.IGNORECASE)
    return text


def _uncapitalised(reply: str) -> str:
    return re.sub(
        r"(^|[.!?]\s+)([A-Z])(?=[a-z]+\s+[a-z])", lambda found: found.group(1) + found.group(2).lower(), reply
    )


def _own_antecedent(before: str) -> bool:
    """Say whether the words before a pronoun already name something it may stand for."""
    words = re.findall(r"[A-Za-z]+", before.lower())
    return (any(word not in _COMMON and len(word) > 3 for word in words) and "," in before) or bool(
        re.search(r"\b(?:my|the|a|an)\s+\w+.*[, ]", before) and len(words) > 3
    )


def _conjunction(text: str, start: int) -> bool:
    return bool(
        re.search(
            r"\b(?!does|is|can|did|do|was|will|of|for|to|at|in|with|on|use|download|get|pay)\w+\s$",
            text[:start],
            re.IGNORECASE,
        )
    )
