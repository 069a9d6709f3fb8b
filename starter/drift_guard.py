"""The drift guard: a rewrite that has left its question is not searched instead of it."""

from typing import Any

from querylab import DriftVerdict, Unfinished, drift, settings


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
    raise Unfinished("check_drift")
