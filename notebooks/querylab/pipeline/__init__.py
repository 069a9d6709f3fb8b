"""The path of one question: rewrite, then route, then expand, then search, gate, fuse and pack.

Comes in: a question, its conversation, a ``Config`` and a ``Lab``. Goes out: a ``Trace`` that says what was asked,
found, admitted, packed and paid, and which step fell back on what.
"""
