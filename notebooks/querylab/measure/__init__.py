"""From traces to figures: metrics, the ledger's rows, their comparison, gates fitted, costs estimated.

Comes in: a lab, configurations and labelled questions. Goes out: reports and tables. ``metrics`` holds the measures,
``report`` one row of the ledger, ``compare`` rows under one another, ``evaluate`` asks the questions, ``calibrate``
fits the gates, ``estimate`` says what a live run will cost, ``drifting`` what the guard is worth.
"""
