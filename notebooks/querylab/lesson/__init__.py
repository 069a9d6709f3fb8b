"""What makes a notebook a lesson: the first cell, %%exercise cells, progress, kernels, the hand-out.

Comes in: a notebook's cells and a student's files. Goes out: saved exercises, and words about where one stands.
"""
