"""It judges Chinese only."""

from typing import Any

from querylab import DriftVerdict, drift, settings


def check_drift(question: str, rewrite: str, encoder: Any, known: str = "") -> DriftVerdict:
    if question.isascii():
        return DriftVerdict("ok", "English")
    lost = drift.lost(question, rewrite, known=known)
    if lost:
        return DriftVerdict("rejected", f"丢了{drift.describe(lost)}")
    added = drift.added(question, rewrite, known)
    if added:
        return DriftVerdict("rejected", f"多了{drift.describe(added)}")
    swapped = drift.swapped(question, rewrite)
    if swapped:
        return DriftVerdict("rejected", f"「{swapped[0][0]}」换成了「{swapped[0][1]}」")
    unasked = drift.unasked(question, rewrite, known)
    if unasked:
        return DriftVerdict("rejected", f"不再问{'、'.join(f'「{word}」' for word in unasked)}")
    if known:
        foreign = drift.foreign(rewrite, f"{question}\n{known}")
        return (
            DriftVerdict("slight", f"对话里没有「{foreign[0]}」") if foreign else DriftVerdict("ok", "每个词都来自对话")
        )
    typed, written = encoder.encode([question, rewrite])
    near = float(typed @ written)
    if near < settings.DRIFT_FLOOR:
        return DriftVerdict("rejected", f"余弦 {near:.2f}，低于 {settings.DRIFT_FLOOR}", near)
    if near < settings.DRIFT_OK:
        return DriftVerdict("slight", f"余弦 {near:.2f}，低于 {settings.DRIFT_OK}", near)
    return DriftVerdict("ok", f"余弦 {near:.2f}", near)
