"""Wrong: an ambiguous question takes the cheap way, and so does a failed understanding."""


def choose_path(understanding, named):
    if understanding.scope != "KNOWLEDGE_QUERY" and understanding.scope_confidence >= 0.6:
        return "answer"
    if len(named) == 1:
        return "read"
    return "search" if understanding.complexity in ("SIMPLE", "MEDIUM") else "agent"
