"""Wrong: everything is lifted, to be on the safe side."""


def raise_complexity(question, understanding):
    return understanding.at_least("MEDIUM", "总是")
