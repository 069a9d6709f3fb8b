"""From traces to figures: metrics, the ledger's rows, their comparison, gates fitted, costs estimated.

Comes in: a lab, configurations and labelled questions. Goes out: reports and tables.
"""
