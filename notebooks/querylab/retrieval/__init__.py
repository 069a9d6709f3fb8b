"""From a sentence to a context: encoder, BM25, the retriever, fusion, gate and budget.

Comes in: chunks and a query text. Goes out: a pool with both routes' raw scores, what the gate admits of it, and what
fits into the context. Nothing here knows of any technique: the retriever never changes.
"""
