"""Query understanding: one call says everything about a question that the rest of the path needs.

fields     the ten fields, their closed sets, and the frozen record they make
parse      from a model's reply to fields, whatever the reply looks like; every repair is recorded
lexicon    the words that tier 0 decides by, without any call
scopes     what is said when nothing has to be searched
documents  which documents a question names or points at; its exact terms
separate   the naive way, five calls, to hold against the one
agent      the loop in which the model chooses searches until it has enough

Comes in: a question and its conversation. Goes out: an Understanding; the path itself stands in ``pipeline/``.
"""
