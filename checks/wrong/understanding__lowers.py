"""Wrong: without a signal the complexity is taken down."""

import re
from dataclasses import replace


def raise_complexity(question, understanding):
    form = r"(?:对比|比较).+[和与].|.[和与].+区别|分别讲|.{2}以及.+哪|\S vs \S|.[？?].+[？?]"
    several = bool(re.search(form, question))
    return replace(understanding, complexity="MEDIUM" if several else "SIMPLE")
