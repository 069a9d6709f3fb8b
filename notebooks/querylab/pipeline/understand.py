"""Understand: say everything about a question once, by rule or by one call, and choose its path (notebook 08).

In: the run. Out: an :class:`~querylab.understanding.fields.Understanding`, and one of four paths. Everything
downstream reads the one understanding; nobody asks again.
"""

from collections.abc import Sequence
from dataclasses import replace

from querylab.pipeline.guard import guard_rewrite
from querylab.pipeline.state import Run, TechniqueError, expect, log
from querylab.prompts import clean_titles
from querylab.prompts.schema import PATHS, SCOPES, Path
from querylab.understanding import documents
from querylab.understanding.fields import Understanding
from querylab.understanding.separate import understand_separately

CAREFUL = "the careful path"


async def understand(run: Run) -> Understanding:
    """Understand one question: by rule where tier 0 is sure, else by the model; then by the signals.

    Returns:
        The understanding; the fallback when the call failed, which takes the careful path.
    """
    decided = _by_rule(run) if run.config.tier0 else None
    if decided is not None:
        return decided
    understanding = await _by_model(run)
    if run.config.signals:
        understanding = run.function("raise_complexity")(run.question, understanding)
        expect(understanding, Understanding, "raise_complexity", "an Understanding")
    if understanding.scope == "KNOWLEDGE_QUERY":  # before the path is chosen: a title that drifted in is no title
        understanding = replace(understanding, rewritten=guard_rewrite(run, understanding.rewritten))
    return understanding


def _by_rule(run: Run) -> Understanding | None:
    scope = run.function("tier0")(run.question, list(run.history))
    if scope is None:
        return None
    if scope not in SCOPES or scope == "KNOWLEDGE_QUERY":
        raise TechniqueError(f"tier0() returns a scope that needs no search, or None; found {scope!r:.80}.")
    kind = "chitchat" if scope == "CHITCHAT" else "factoid"
    return Understanding(run.question, kind, "SIMPLE", scope=scope, scope_confidence=1.0, origin="tier0")


async def _by_model(run: Run) -> Understanding:
    history = list(run.history)
    talk = " ".join([turn["content"] for turn in history[-4:]] + [run.question])
    in_view = clean_titles([*run.documents, *documents.named(talk, run.titles)])
    if run.config.understanding == "separate":
        first_object = run.function("first_object")
        call = understand_separately(run.client, history, run.question, in_view, first_object)
    else:
        call = run.function("understand")(run.client, history, run.question, in_view)
    unknown = Understanding.fallback(run.question)
    found = await run.attempt("understand", call, unknown, CAREFUL, function="understand", limited=True)
    expect(found, Understanding, "understand", "an Understanding")
    if found.origin == "fallback" and found is not unknown:
        run.fall_back("understand", "nothing in the reply could be read", CAREFUL)
    return found


def choose_path(run: Run, understanding: Understanding, named: Sequence[str]) -> Path:
    """Choose the way of a question from its understanding and the documents that it names.

    Raises:
        TechniqueError: when the student's choice is no path, or one that cannot be gone.
    """
    path = run.function("choose_path")(understanding, list(named))
    if path not in PATHS:
        raise TechniqueError(f"choose_path() chose {path!r:.80}; a path is one of {', '.join(PATHS)}.")
    if path == "answer" and understanding.scope == "KNOWLEDGE_QUERY":
        raise TechniqueError("choose_path() chose 'answer' for a KNOWLEDGE_QUERY: that has to be searched.")
    if path == "read" and not named:
        raise TechniqueError("choose_path() chose 'read', but the question names no document.")
    log.info("understood %r as %s, path %s", run.question, understanding.scope, path)
    return path
