"""Wrong: the signal also decides the intent, which nobody asked it to."""

import re
from dataclasses import replace


def raise_complexity(question, understanding):
    form = r"(?:对比|比较)[^，]+[和与].|.[和与].+区别|分别讲|.{2}以及.+哪|[^A-Z] vs \S|\w[？?].*\w[？?]"
    if re.search(form, question):
        return replace(understanding.at_least("MEDIUM", "句式"), intent="factoid")
    return understanding
