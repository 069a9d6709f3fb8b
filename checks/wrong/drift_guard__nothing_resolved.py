"""What the conversation resolves counts as lost: 「第二个」 is not found in its rewrite."""

from querylab import DriftVerdict, drift, settings


def check_drift(question, rewrite, encoder, known=""):
    lost, added = drift.lost(question, rewrite), drift.added(question, rewrite, known)
    swapped, unasked = drift.swapped(question, rewrite), drift.unasked(question, rewrite, known)
    if lost or added or swapped or unasked:
        return DriftVerdict("rejected", f"{drift.describe([*lost, *added])}{swapped}{unasked}")
    if known:
        new = drift.foreign(rewrite, f"{question} {known}")
        return DriftVerdict("slight" if new else "ok", f"{new}" if new else "都来自对话")
    (written,) = encoder.encode([rewrite])
    (typed,) = encoder.encode([question])
    near = float(typed @ written)
    state = "rejected" if near < settings.DRIFT_FLOOR else "slight" if near < settings.DRIFT_OK else "ok"
    return DriftVerdict(state, f"余弦 {near:.2f}", near)
