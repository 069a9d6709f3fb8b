"""All complaints of the hard layer in one list; thresholds in a table."""

from querylab import DriftVerdict, drift, settings


def check_drift(question, rewrite, encoder, known=""):
    complaints = [f"少了{term}" for term in drift.lost(question, rewrite, known=known)]
    complaints += [f"多了{term}" for term in drift.added(question, rewrite, known)]
    complaints += [f"{old}变成了{new}" for old, new in drift.swapped(question, rewrite)]
    complaints += [f"没有问{word}" for word in drift.unasked(question, rewrite, known)]
    if complaints:
        return DriftVerdict("rejected", "；".join(complaints))
    if known:
        new = drift.foreign(rewrite, f"{known} {question}")
        return DriftVerdict("slight" if new else "ok", f"{new}" if new else "没有对话之外的词")
    vectors = encoder.encode([question, rewrite])
    near = float((vectors[0] * vectors[1]).sum())
    for least, state in ((settings.DRIFT_OK, "ok"), (settings.DRIFT_FLOOR, "slight"), (-2, "rejected")):
        if near >= least:
            return DriftVerdict(state, f"{near:.3f}", near)
