"""Two levels of routing: rules for what is certain, the one call for the rest; then the way through the documents."""

from collections.abc import Sequence

from querylab import Path, Scope, Turn, Understanding, lexicon, settings


def tier0(question: str, history: Sequence[Turn]) -> Scope | None:
    """Decide by rule alone what needs neither a call nor a search. Takes far less than a millisecond.

    Args:
        question: as typed.
        history: earlier turns, oldest first.

    Returns:
        ``CHITCHAT`` for a greeting (at most 8 characters, marks and blanks aside, nothing but courtesy) and for a
        statement of identity (at most 25 characters, no question mark, nothing that may be a question or a wish, and
        besides courtesy at least one clause, each of them an identity);
        ``META_CONVERSATION`` for 「总结上面的对话」; ``KB_META`` for 「有哪些知识库」; None for everything else.
        Precision before recall: a greeting that is missed costs one call, a question that is swallowed the answer.

    Source: lesson 08. Routing by how much a question needs: Jeong et al., "Adaptive-RAG", NAACL 2024 (who train a
    classifier for it; these are rules).
    """
    text = lexicon.squeezed(question)
    plain = text.rstrip("?")
    if len(plain) <= settings.GREETING_CHARACTERS and lexicon.COURTESY.fullmatch(plain):
        return "CHITCHAT"
    if len(text) <= settings.IDENTITY_CHARACTERS and "?" not in text and not lexicon.ASKS.search(question):
        rest = [part for part in lexicon.clauses(question) if not lexicon.COURTESY.fullmatch(part)]
        if rest and all(lexicon.IDENTITY.fullmatch(part) for part in rest):
            return "CHITCHAT"
    if lexicon.META_CONVERSATION.match(plain):
        return "META_CONVERSATION"
    if lexicon.KB_META.match(plain):
        return "KB_META"
    return None


def choose_path(understanding: Understanding, named: Sequence[str]) -> Path:
    """Choose the way of a question from its understanding.

    Args:
        understanding: what is known about the question.
        named: titles of the documents that the question names in 《》; often empty.

    Returns:
        ``answer`` (no search) for a scope other than KNOWLEDGE_QUERY that is at least 0.6 sure; ``read`` when the
        question names one document; ``search`` (one planned search) when it is SIMPLE and not ambiguous; ``agent``
        for the rest. When in doubt spend more: an unsure scope is searched, an unknown question takes the careful path.
    """
    if understanding.scope != "KNOWLEDGE_QUERY" and understanding.scope_confidence >= settings.SCOPE_CONFIDENCE:
        return "answer"
    if len(named) == 1:
        return "read"
    if understanding.complexity == "SIMPLE" and not understanding.is_ambiguous:
        return "search"
    return "agent"
