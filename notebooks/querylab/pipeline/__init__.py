"""The pipeline: one question in, one trace out, step by step. Each step is a file of its own name.

Comes in: a question, its conversation, a :class:`~querylab.pipeline.config.Config`. Goes out: a
:class:`~querylab.pipeline.trace.Trace`. ``lab`` is the way in, ``run`` the path, ``state`` what a question carries on
it, ``wiring`` where client and retriever are put together; then the steps: ``rewrite``, ``understand``, ``route``,
``expand``, ``split``, ``guard``, ``search``, ``agent``, ``read``, ``admit``, ``answer``.
"""
