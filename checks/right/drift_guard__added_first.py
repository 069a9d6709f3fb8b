"""What came in is looked at first; reasons in canonical forms, and of an exchange only what was there before."""

from querylab import DriftVerdict
from querylab.guard.drift import added, foreign, lost, swapped, unasked
from querylab.settings import DRIFT_FLOOR, DRIFT_OK

STATES = ((DRIFT_OK, "ok"), (DRIFT_FLOOR, "slight"), (-2, "rejected"))


def check_drift(question, rewrite, encoder, known=""):
    came, gone = added(question, rewrite, known), lost(question, rewrite, known=known)
    for what, terms in (("多了", came), ("少了", gone)):
        if terms:
            return DriftVerdict("rejected", what + "、".join(term.form for term in terms))
    for old, _ in swapped(question, rewrite):
        return DriftVerdict("rejected", f"{old}不见了，换了一个")
    if gone := unasked(question, rewrite, known):
        return DriftVerdict("rejected", f"不问了：{gone}")
    if known:
        return DriftVerdict("slight" if foreign(rewrite, question + known) else "ok", "追问看有没有新词")
    typed, written = encoder.encode([question, rewrite])
    near = round(float(typed @ written), 6)
    return DriftVerdict(next(state for least, state in STATES if near >= least), f"余弦是 {near:.1%}", near)
