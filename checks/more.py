"""The checks beyond the eight: one tuple for each later notebook, in the notebooks' order.

``python -m checks --more`` runs them after the eight; the acceptance cells of those notebooks run their own.
"""

from checks import heavier, understanding
from checks.acceptance import Check

MORE: tuple[Check, ...] = (*understanding.CHECKS, *heavier.CHECKS)
