"""Two states: what is doubtful passes as if nothing were."""

from querylab import DriftVerdict, drift, settings


def check_drift(question, rewrite, encoder, known=""):
    found = [*drift.lost(question, rewrite, known=known), *drift.added(question, rewrite, known)]
    swapped, unasked = drift.swapped(question, rewrite), drift.unasked(question, rewrite, known)
    if found or swapped or unasked:
        return DriftVerdict("rejected", f"{drift.describe(found)}{swapped}{unasked}")
    if known:
        new = drift.foreign(rewrite, question + known)
        return DriftVerdict("slight" if new else "ok", f"{new}" if new else "都来自对话")
    typed, written = encoder.encode([question, rewrite])
    near = float(typed @ written)
    return DriftVerdict("rejected" if near < settings.DRIFT_FLOOR else "ok", f"余弦 {near:.2f}", near)
