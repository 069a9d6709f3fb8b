"""Acceptance of notebook 09: sub-questions, the drift guard, the rewrite cache; each in a module of its own.

As in :mod:`checks.acceptance`, a check takes a lab whose techniques are the student's, and returns a sentence or
raises :class:`Wrong` with the first case that differs. Sentences are of domains that the corpus does not have.
"""

from checks.acceptance import Check
from checks.heavier_cache import rewrite_cache
from checks.heavier_guard import drift_guard
from checks.heavier_parts import sub_questions

CHECKS: tuple[Check, ...] = (
    Check("sub-questions", "sub_questions", sub_questions),
    Check("drift-guard", "drift_guard", drift_guard),
    Check("rewrite-cache", "rewrite_cache", rewrite_cache),
)

__all__ = ["CHECKS"]
