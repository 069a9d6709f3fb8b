"""Looks only at what the first one has: the order of the two decides."""

from querylab import drift


def may_share(question, other):
    return not drift.lost(question, other)
