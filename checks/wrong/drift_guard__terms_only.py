"""Core terms alone: a rewrite about something else without a core term passes."""

from querylab import DriftVerdict, drift


def check_drift(question, rewrite, encoder, known=""):
    lost, added = drift.lost(question, rewrite, known=known), drift.added(question, rewrite, known)
    swapped, unasked = drift.swapped(question, rewrite), drift.unasked(question, rewrite, known)
    if lost or added or swapped or unasked:
        return DriftVerdict("rejected", f"{drift.describe([*lost, *added])}{swapped}{unasked}")
    return DriftVerdict("ok", "核心词都在")
