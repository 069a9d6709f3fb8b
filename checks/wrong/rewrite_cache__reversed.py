"""The same words in any order share: who does what to whom goes unseen."""

from querylab import drift
from querylab.guard.sharing import wording


def may_share(question, other):
    same_terms = not drift.lost(question, other) and not drift.lost(other, question)
    return same_terms and sorted(wording(question)) == sorted(wording(other))
