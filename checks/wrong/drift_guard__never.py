"""A guard that lets everything pass."""

from querylab import DriftVerdict


def check_drift(question, rewrite, encoder, known=""):
    return DriftVerdict("ok", "没有看出问题")
