"""The lab's helper module. ``import querylab`` is quick: whatever is heavy is imported when first used::

    import querylab
    lab = querylab.start("01_rewriting")                       # the first cell of every notebook
    trace = await querylab.ask("…", config=querylab.HYDE)
    report = await querylab.evaluate(querylab.HYDE)

What stands in ``__all__`` is reached as ``querylab.NAME``; everything else through its module.
"""

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

# One query is a small product: split over threads it takes longer, and on a busy machine fifty times as long, because
# the threads wait for each other. Read by numpy when it is first imported; whoever has set it keeps it.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

_HOME = {
    "start": ("start",),
    "estimate": ("estimate_cost",),
    "evaluate": ("Report", "compare", "evaluate", "evaluate_dialogues"),
    "fuse": ("rrf_fuse",),
    "pipeline": (
        "BASELINE",
        "EVERYTHING",
        "HYDE",
        "MULTI_QUERY",
        "NAMED",
        "REWRITE_ALWAYS",
        "REWRITE_NEEDED",
        "ROUTER",
        "ROUTER_WIDE",
        "STEP_BACK",
        "Config",
        "Lab",
        "ask",
        "default_lab",
    ),
    "trace": ("Trace", "where_lost"),
    "tracks": ("Unfinished",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}
_MODULES = ("panel", "progress", "prompts", "settings", "show", "tracks")

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})


class _Package(ModuleType):
    """``querylab.evaluate`` is the function, also after the submodule of that name has been imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _MODULE_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
