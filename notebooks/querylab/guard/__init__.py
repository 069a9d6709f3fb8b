"""What keeps heavier rewriting safe: the drift verdict and the rewrite cache (notebooks 10 and 11).

Comes in: a question, what a model made of it, and what was said before. Goes out: a verdict with its reason, or a kept
reply with the level it was found at.
"""
