"""Layers are added at top level; the guard is an instance that can be called."""

from querylab import DriftVerdict, drift, settings

LAYERS = []


def lost(question, rewrite, known):
    return drift.lost(question, rewrite, known=known)


def added(question, rewrite, known):
    return drift.added(question, rewrite, known)


LAYERS.append(lost)
LAYERS.append(added)
LAYERS.append(lambda question, rewrite, known: drift.swapped(question, rewrite))
LAYERS.append(lambda question, rewrite, known: drift.unasked(question, rewrite, known))


class Guard:
    def __call__(self, question, rewrite, encoder, known=""):
        for layer in LAYERS:
            found = layer(question, rewrite, known)
            if found:
                return DriftVerdict("rejected", "；".join(map(str, found)))
        if known:
            new = drift.foreign(rewrite, f"{question}\n{known}")
            return DriftVerdict("slight" if new else "ok", "、".join(new) or "都说过")
        one, other = encoder.encode([question, rewrite])
        near = float(one @ other)
        state = "ok" if near >= settings.DRIFT_OK else "slight" if near >= settings.DRIFT_FLOOR else "rejected"
        return DriftVerdict(state, f"余弦 {near:.3f}", near)


check_drift = Guard()
