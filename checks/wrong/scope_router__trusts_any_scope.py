"""Wrong: a scope is believed however unsure the model is of it."""


def choose_path(understanding, named):
    if understanding.scope != "KNOWLEDGE_QUERY":
        return "answer"
    if len(named) == 1:
        return "read"
    return "search" if understanding.complexity == "SIMPLE" and not understanding.is_ambiguous else "agent"
