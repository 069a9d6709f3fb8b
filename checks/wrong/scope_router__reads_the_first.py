"""Wrong: of two named documents one is read and the other forgotten."""


def choose_path(understanding, named):
    if understanding.scope != "KNOWLEDGE_QUERY" and understanding.scope_confidence >= 0.6:
        return "answer"
    if named:
        return "read"
    return "search" if understanding.complexity == "SIMPLE" and not understanding.is_ambiguous else "agent"
