"""The documents and the questions about them: a folder in, validated frozen data out.

Comes in: a folder of Markdown documents, a manifest, question and dialogue files. Goes out: a ``Corpus`` whose every
label points at a section that exists, or one error that lists all faults with file and line.
"""
