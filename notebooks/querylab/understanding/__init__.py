"""Query understanding: one call says everything about a question that the rest of the path needs.

fields     the ten fields, their closed sets, and the frozen record they make
parse      from a model's reply to fields, whatever the reply looks like; every repair is recorded
lexicon    the words that tier 0 decides by, without any call
scopes     what is said when nothing has to be searched
documents  document titles as data; which document a question points at; exact terms
separate   the naive way, five calls, to hold against the one
agent      the loop in which the model chooses searches until it has enough
path       the way of one question, from its understanding to its context
"""
