"""Which requests a recording lacks: the rows are run on it, and whatever it could not answer is what is missing.

A request that depends on an earlier reply (a bridge, a second round) shows only when that reply is there, so whoever
records runs this again until nothing is missing.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from querylab.corpus.model import Corpus, Question
from querylab.measure.evaluate import evaluate, evaluate_dialogues
from querylab.models.recording import RecordedClient
from querylab.pipeline.config import Config
from querylab.pipeline.lab import Lab

MAIN = "questions"


def question_sets(corpus: Corpus) -> list[str]:
    """Name the question files that a corpus has, ``questions`` first."""
    return sorted((path.stem for path in corpus.root.glob(f"{MAIN}*.jsonl")), key=lambda name: (len(name), name))


def questions_of(corpus: Corpus, name: str) -> tuple[Question, ...]:
    """The questions of one file: ``questions`` itself, or ``questions_NAME``."""
    return corpus.questions if name == MAIN else corpus.question_set(name.removeprefix(f"{MAIN}_"))


def for_dialogues(config: Config) -> bool:
    """Say whether a row is asked the dialogues: one that rewrites or routes, and expands nothing.

    What an expansion makes of a follow-up as typed says nothing of it, and what it makes of a rewritten one is measured
    on the questions.
    """
    expands = config.hyde or config.multi_query or config.step_back or config.sub_questions
    return not expands and (config.rewrite != "off" or config.router or config.understanding != "off")


async def unrecorded(
    lab: Lab, configs: Sequence[Config], sets: Sequence[str], dialogues: bool = True, answers: bool = False
) -> dict[str, dict[str, Any]]:
    """Run rows on a recording and collect what it lacks.

    Args:
        lab: its client is a :class:`RecordedClient`.
        configs: the rows.
        sets: names of question sets, such as ``questions_kinds``.
        dialogues: also every turn of the corpus's dialogues, with its history.
        answers: also the answer of every question of ``sets``.

    Returns:
        Key → request, in the order in which they were first asked.
    """
    if not isinstance(lab.client, RecordedClient):
        raise TypeError(f"Only a recording can lack something, found {type(lab.client).__name__}.")
    client = replace(lab.client, missing={})
    lab = replace(lab, client=client, cache=None)
    for name in sets:
        questions = questions_of(lab.corpus, name)
        for config in configs:
            await evaluate(config, questions, lab)
            if answers:
                for question in questions:
                    await lab.ask(question.question, (), config, answer=True)
    if dialogues and lab.corpus.dialogues:
        for config in filter(for_dialogues, configs):
            await evaluate_dialogues(config, lab=lab)
            if answers:
                for dialogue in lab.corpus.dialogues:
                    for turn in range(len(dialogue.turns)):
                        await lab.ask(dialogue.turns[turn].user, dialogue.history(turn), config, answer=True)
    return client.missing
