"""The lab's helper module. ``import querylab`` is quick: whatever is heavy is imported when first used::

    import querylab
    lab = querylab.start("01_rewriting")                       # the first cell of every notebook
    trace = await querylab.ask("…", config=querylab.HYDE)
    report = await querylab.evaluate(querylab.HYDE)

What stands in ``__all__`` is reached as ``querylab.NAME``; everything else through its module.
"""

import os
from importlib import import_module
from typing import Any

# One query is a small product: split over threads it takes longer, and on a busy machine fifty times as long, because
# the threads wait for each other. Read by numpy when it is first imported; whoever has set it keeps it.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

_HOME = {
    "corpus.load": ("load_corpus",),
    "corpus.model": ("Corpus", "Question"),
    "guard.drift": ("DriftVerdict",),
    "lesson.start": ("start",),
    "measure.calibrate": ("leave_one_out",),
    "measure.compare": ("compare",),
    "models.differences": ("differences",),
    "measure.estimate": ("estimate_cost",),
    "measure.evaluate": ("evaluate", "evaluate_dialogues"),
    "measure.metrics": ("complete", "ndcg", "ranked_complete", "recall", "reciprocal_rank"),
    "measure.recorded": ("evaluate_dialogues_recorded", "evaluate_recorded"),
    "measure.report": ("Report",),
    "measure.rows": ("measured_rows", "rows_so_far"),
    "pipeline.config": (
        "BASELINE",
        "CONTROL_ROWS",
        "EVERYTHING",
        "HEAVIER_ROWS",
        "HYDE",
        "MULTI_QUERY",
        "NAMED",
        "REWRITE_ALWAYS",
        "REWRITE_NEEDED",
        "ROUTER",
        "ROUTER_WIDE",
        "STEP_BACK",
        "UNDERSTANDING_ROWS",
        "Config",
    ),
    "pipeline.lab": ("Lab", "ask", "default_lab"),
    "pipeline.techniques": ("Unfinished",),
    "pipeline.trace": ("Trace", "where_lost"),
    "pipeline.wiring": ("open_cache",),
    "prompts.schema": ("Path", "Scope"),
    "retrieval.encoder": ("cosine",),
    "retrieval.fuse": ("rrf_fuse",),
    "rules.careless": ("CarelessClient",),
    "text": ("tokenise",),
    "types": ("INTENTS", "Budgets", "Hit", "Intent", "Routed", "Search", "Turn"),
    "understanding.fields": ("Understanding",),
    "understanding.parse": ("fields_of", "text_of"),
}
"""What students and notebooks import, by the module that defines it. Heavy rooms open at first use."""
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}
_MODULES = {
    "drift": "guard.drift",
    "drifting": "measure.drifting",
    "lexicon": "understanding.lexicon",
    "panel": "show.panel",
    "progress": "lesson.progress",
    "prompts": "prompts",
    "reply": "models.reply",
    "settings": "settings",
    "elsewhere": "measure.elsewhere",
    "plan": "measure.plan",
    "recording": "models.recording",
    "sharing": "guard.sharing",
    "show": "show",
    "traffic": "measure.traffic",
}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(f"{__name__}.{_MODULES[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
