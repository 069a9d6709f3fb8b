"""Everything a person looks at: traces as stories, the ledger as a table, and the pictures of the lessons.

Tables come as a :class:`~querylab.show.page.Page` (HTML, and the same as plain text where there is
none); pictures come as a :class:`~querylab.show.fonts.Picture` (PNG, and its figures in words). Both
show themselves as the last expression of a cell. Labels are Chinese; every word that comes out of a
document or a question is escaped.
"""

from querylab.show.careless import careless
from querylab.show.contributions import contributions
from querylab.show.fonts import Picture
from querylab.show.funnel import funnel
from querylab.show.gain import gain_against_cost
from querylab.show.heavier import drift_curve, kinds
from querylab.show.hyde import hyde_picture
from querylab.show.ledger import ledger
from querylab.show.page import Page
from querylab.show.rankings import rankings
from querylab.show.story import trace
from querylab.show.tables import confusion, dialogue, wins_and_losses
from querylab.show.timeline import timeline
from querylab.show.understanding import cascade, where_went
from querylab.show.verdicts import verdicts

__all__ = [
    "Page",
    "Picture",
    "careless",
    "cascade",
    "confusion",
    "contributions",
    "dialogue",
    "drift_curve",
    "funnel",
    "gain_against_cost",
    "hyde_picture",
    "kinds",
    "ledger",
    "rankings",
    "timeline",
    "trace",
    "verdicts",
    "where_went",
    "wins_and_losses",
]
