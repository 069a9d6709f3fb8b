"""Which recordings a changed prompt has made stale: what each lacks, and the commands that make it again.

Comes in: a lab and its rows. Goes out: one line for each recording of its corpus that does not answer all of them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from querylab import settings
from querylab.measure.recorded import clients
from querylab.measure.unrecorded import unrecorded
from querylab.models import requests
from querylab.pipeline.config import Config
from querylab.pipeline.lab import Lab


async def stale(lab: Lab, configs: Sequence[Config], sets: Sequence[str], dialogues: bool = True) -> list[str]:
    """Say which recordings of a corpus lack which tasks.

    Args:
        lab: whose corpus, retriever and techniques.
        configs, sets, dialogues: as :func:`querylab.measure.unrecorded.unrecorded` takes them.

    Returns:
        One message a recording, with the commands that complete it; none when all are complete.
    """
    told = []
    for client in clients(lab.corpus.root):
        missing = await unrecorded(replace(lab, client=client), configs, sets, dialogues)
        tasks = Counter(requests.task_name(request) for request in missing.values())
        if tasks:
            lacks = ", ".join(f"{task} {count}" for task, count in sorted(tasks.items()))
            corpus = "" if lab.corpus.root == settings.CORPUS_DIR else f" --corpus {lab.corpus.root}"
            record = "python -m querylab record"
            told.append(
                f"recording {client.name} lacks {lacks}. Was a prompt changed, or a question? It is completed by\n"
                f"  {record} missing --recording {client.name}{corpus} --out requests.jsonl\n"
                f"  {record} run --batch requests.jsonl --to {client.name}{corpus}\n"
                "and again, until none is missing."
            )
    return told
