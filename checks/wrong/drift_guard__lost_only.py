"""What came in from nowhere is not looked at: the answer leaks into the query."""

from querylab import DriftVerdict, drift, settings


def check_drift(question, rewrite, encoder, known=""):
    lost = drift.lost(question, rewrite, known=known)
    if lost:
        return DriftVerdict("rejected", drift.describe(lost))
    typed, written = encoder.encode([question, rewrite])
    near = float(typed @ written)
    state = "rejected" if near < settings.DRIFT_FLOOR else "slight" if near < settings.DRIFT_OK else "ok"
    return DriftVerdict(state, f"余弦 {near:.2f}", near)
