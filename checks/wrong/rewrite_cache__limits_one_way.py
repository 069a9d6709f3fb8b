"""What the other one has more is looked for among names and figures alone: 「超过」 and 「最晚」 are missed."""

from querylab import drift


def may_share(question, other):
    if drift.things(question) != drift.things(other) or drift.swapped(question, other):
        return False
    return not drift.lost(question, other) and not drift.added(question, other)
