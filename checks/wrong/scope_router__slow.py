"""Wrong: right in every case, after thinking for three milliseconds."""

import time

from querylab import lexicon, settings


def tier0(question, history):
    time.sleep(0.003)
    plain = lexicon.squeezed(question).rstrip("?")
    if len(plain) <= settings.GREETING_CHARACTERS and lexicon.COURTESY.fullmatch(plain):
        return "CHITCHAT"
    if "?" not in lexicon.squeezed(question) and not lexicon.ASKS.search(question):
        rest = [part for part in lexicon.clauses(question) if not lexicon.COURTESY.fullmatch(part)]
        if rest and all(lexicon.IDENTITY.fullmatch(part) for part in rest):
            return "CHITCHAT"
    if lexicon.META_CONVERSATION.match(plain):
        return "META_CONVERSATION"
    return "KB_META" if lexicon.KB_META.match(plain) else None
