"""A resolved follow-up is measured by its cosine, and rejected: the guard undoes what rewriting is for."""

from querylab import DriftVerdict, drift, settings


def check_drift(question, rewrite, encoder, known=""):
    found = [*drift.lost(question, rewrite, known=known), *drift.added(question, rewrite, known)]
    swapped, unasked = drift.swapped(question, rewrite), drift.unasked(question, rewrite, known)
    if found or swapped or unasked:
        return DriftVerdict("rejected", f"{drift.describe(found)}{swapped}{unasked}")
    typed, written = encoder.encode([question, rewrite])
    near = float(typed @ written)
    state = "rejected" if near < settings.DRIFT_FLOOR else "slight" if near < settings.DRIFT_OK else "ok"
    return DriftVerdict(state, f"余弦 {near:.2f}", near)
