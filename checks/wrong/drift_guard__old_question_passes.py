"""Core terms and known words suffice: the question before this one passes, and so does an answer."""

from querylab import DriftVerdict, drift, settings


def check_drift(question, rewrite, encoder, known=""):
    lost, added = drift.lost(question, rewrite, known=known), drift.added(question, rewrite, known)
    swapped = drift.swapped(question, rewrite)
    if lost or added or swapped:
        return DriftVerdict("rejected", f"{drift.describe([*lost, *added])}{swapped}")
    if known:
        new = drift.foreign(rewrite, f"{question} {known}")
        return DriftVerdict("slight" if new else "ok", f"{new}" if new else "都来自对话")
    typed, written = encoder.encode([question, rewrite])
    near = float(typed @ written)
    state = "rejected" if near < settings.DRIFT_FLOOR else "slight" if near < settings.DRIFT_OK else "ok"
    return DriftVerdict(state, f"余弦 {near:.2f}", near)
