"""A question about two things shares with the question about one of them."""

from querylab import drift
from querylab.guard.sharing import wording


def may_share(question, other):
    one, two = set(wording(question)), set(wording(other))
    exchanged = drift.lost(question, other) or drift.lost(other, question) or drift.swapped(question, other)
    return (one <= two or two <= one) and not exchanged
