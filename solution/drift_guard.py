"""The drift guard: a rewrite that has left its question is not searched instead of it."""

from typing import Any

from querylab import DriftVerdict, drift, settings


def check_drift(question: str, rewrite: str, encoder: Any, known: str = "") -> DriftVerdict:
    """Judge one rewrite in two layers: what must survive first, nearness second.

    Args:
        question: as typed.
        rewrite: what would be searched.
        encoder: has ``encode(texts)``, which returns unit vectors, one row a text.
        known: what was said before, as one text; a follow-up takes its names from there.

    Returns:
        ``rejected`` when a core term was lost (``drift.lost``), came in from nowhere (``drift.added``) or was
        exchanged (``drift.swapped``), or when the rewrite no longer asks what the question asks (``drift.unasked``).
        A follow-up is then ``ok`` when every word of its rewrite was said before (``drift.foreign`` finds none), else
        ``slight``: its cosine says nothing (「这个人」 is far from whoever is meant). Any other question goes by the
        cosine: ``rejected`` below ``settings.DRIFT_FLOOR``, ``slight`` below ``settings.DRIFT_OK``, else ``ok``. The
        reason names the terms or words, or the cosine.

    Source: lesson 10.
    """
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
