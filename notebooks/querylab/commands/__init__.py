"""The command line, one file a command: ``python -m querylab COMMAND``.

Comes in: options. Goes out: words on standard output, or one JSON object with ``--json``, and an exit code.
"""
