"""The command line, one file a command: ``ledger``, ``ask``, ``calibrate``, ``lost``, ``replay``, ``kernels``.

Comes in: the arguments after ``python -m querylab NAME``. Goes out: :class:`~querylab.commands.said.Said`, what a
command has to say, in words and as plain data; ``__main__`` prints one of the two. A command is a function ``add``,
which names its arguments, and a function ``run``.
"""
