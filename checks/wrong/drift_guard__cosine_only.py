"""Nearness alone: a changed number lies at 0.9."""

from querylab import DriftVerdict, settings


def check_drift(question, rewrite, encoder, known=""):
    typed, written = encoder.encode([question, rewrite])
    near = float(typed @ written)
    state = "rejected" if near < settings.DRIFT_FLOOR else "slight" if near < settings.DRIFT_OK else "ok"
    return DriftVerdict(state, f"余弦 {near:.2f}", near)
