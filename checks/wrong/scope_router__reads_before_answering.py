"""It reads the document before it answers."""

from collections.abc import Sequence

from querylab import Path, Scope, Turn, Understanding, lexicon, settings


def tier0(question: str, history: Sequence[Turn]) -> Scope | None:
    text = lexicon.squeezed(question)
    plain = text.rstrip("?")
    if len(plain) <= settings.GREETING_CHARACTERS and lexicon.COURTESY.fullmatch(plain):
        return "CHITCHAT"
    if len(text) <= settings.IDENTITY_CHARACTERS and "?" not in text and (not lexicon.ASKS.search(question)):
        rest = [part for part in lexicon.clauses(question) if not lexicon.COURTESY.fullmatch(part)]
        if rest and all(lexicon.IDENTITY.fullmatch(part) for part in rest):
            return "CHITCHAT"
    if lexicon.META_CONVERSATION.match(plain):
        return "META_CONVERSATION"
    if lexicon.KB_META.match(plain):
        return "KB_META"
    return None


def choose_path(understanding: Understanding, named: Sequence[str]) -> Path:
    if len(named) == 1:
        return "read"
    if understanding.scope != "KNOWLEDGE_QUERY" and understanding.scope_confidence >= settings.SCOPE_CONFIDENCE:
        return "answer"
    if understanding.complexity == "SIMPLE" and (not understanding.is_ambiguous):
        return "search"
    return "agent"
