"""The client seam: one way to ask a model, whoever answers (rules, a recording, the live model).

Comes in: a request as the Messages API takes it. Goes out: the SDK's own ``Message``, or an error with a name; and for
each call what it cost and how long it took.
"""
