"""Nearness decides alone: 3 and 5 days share a rewrite."""


def may_share(question, other):
    return True
