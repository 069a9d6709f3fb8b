"""A resolved follow-up is measured by its cosine, and rejected: the guard undoes what rewriting is for."""

from querylab import DriftVerdict, drift, settings


def check_drift(question, rewrite, encoder, known=""):
    found = [*drift.lost(question, rewrite, known=known), *drift.added(question, rewrite, known)]
    swapped = drift.swapped(question, rewrite)
    if found or swapped:
        return DriftVerdict("rejected", f"{drift.describe(found)}{swapped}")
    typed, written = encoder.encode([question, rewrite])
    near = float(typed @ written)
    state = "rejected" if near < settings.DRIFT_FLOOR else "slight" if near < settings.DRIFT_OK else "ok"
    return DriftVerdict(state, f"余弦 {near:.2f}", near)
