"""``python -m querylab questions``: questions for one's own documents, drafted by a model or by hand, seen by a person.

``draft`` asks the live model (MOCK=0) or a recording; or writes the requests, for any model: their results go into a
recording by ``record add``. ``review`` shows each draft with its passage. ``template`` is for those without a model.
"""

import argparse
import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from querylab import settings
from querylab.commands.said import Said
from querylab.corpus import drafts
from querylab.corpus.load import load_corpus
from querylab.corpus.model import Corpus
from querylab.models import recording, reply
from querylab.models.protocol import Client
from querylab.models.recording import RecordedClient
from querylab.pipeline.client import make_client
from querylab.prompts.drafting import draft_question
from querylab.types import Chunk

HELP = "draft, review or write questions for one's own documents"

TEMPLATE = "questions.template.jsonl"
_REVIEW = "[y] keep  [n] drop  [e] write it anew  [q] stop: "


def run(options: argparse.Namespace) -> Said:
    """Run the verb that was named."""
    return options.verb(options)


def add(parser: argparse.ArgumentParser) -> None:
    """Name the verbs and their arguments."""
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    def verb(name: str, function: Callable[[argparse.Namespace], Said], text: str) -> argparse.ArgumentParser:
        sub = verbs.add_parser(name, help=text, description=text)
        sub.set_defaults(verb=function)
        sub.add_argument("--corpus", type=Path, required=True, metavar="DIR", help="a corpus folder")
        return sub

    writes = verb("draft", draft, f"let a model draft questions into {drafts.FILE}")
    writes.add_argument("-n", type=int, default=40, metavar="N", help="sections to ask about (default: 40)")
    writes.add_argument("--requests", type=Path, metavar="FILE", help="only write the requests, in the batch format")
    writes.add_argument("--recording", metavar="NAME", help="replies from a recording of this corpus")
    verb("review", review, "show each draft with its passage, and keep, drop or mend it")
    hand = verb("template", template, f"write {TEMPLATE}: a line a section, to be filled in by hand")
    hand.add_argument("-n", type=int, default=20, metavar="N", help="sections (default: 20)")


def draft(options: argparse.Namespace) -> Said:
    """Draft a question for each chosen section that has none; or write the requests for that."""
    corpus = _own(options)
    held = drafts.read(corpus)
    known = {row["id"] for row in held}
    chosen = [
        chunk for chunk in drafts.spread(corpus.chunks, options.n) if drafts.draft(chunk, "", "")["id"] not in known
    ]
    if options.requests:
        asked = {recording.key(request): request for request in map(_request, chosen)}
        recording.write_requests(options.requests, asked)
        add_them = f"record add RESULTS --requests {options.requests} --to NAME --corpus {options.corpus}"
        text = f"{len(asked)} requests in {options.requests}; their results:  python -m querylab {add_them}"
        return Said(f"{text}, then  questions draft --recording NAME", {"requests": len(asked)})
    made, failed = asyncio.run(_drafted(_client(options), chosen))
    path = drafts.write(corpus.root, [*held, *made])
    text = f"{path}: {len(made)} drafted, {len(held)} were there; look at them:  questions review"
    return Said(text, {"drafted": len(made), "held": len(held), "failed": failed}, tuple(failed), 1 if failed else 0)


def _client(options: argparse.Namespace) -> Client:
    if options.recording:
        return RecordedClient.of(options.recording, options.corpus)
    if settings.mode() != "live":
        raise settings.SettingError(
            "The offline rules cannot write questions. Use MOCK=0 (the live model), --requests FILE (any model), "
            "--recording NAME, or  python -m querylab questions template."
        )
    return make_client()


def _request(chunk: Chunk) -> dict[str, object]:
    return draft_question(chunk.text)


async def _drafted(client: Client, chunks: Sequence[Chunk]) -> tuple[list[dict[str, object]], list[str]]:
    """Ask for one question a section; what cannot be used is told and may be asked again."""
    made, failed = [], []
    for chunk in chunks:
        try:
            lines = reply.text(await client.messages.create(**_request(chunk))).split("\n")
        except reply.LastingFailure as error:
            failed.append(f"  stopped at {chunk.id}: {error}")
            break
        except reply.ModelError as error:
            failed.append(f"  {chunk.id}: {error}")
            continue
        words = [line.strip() for line in lines if line.strip()]
        if len(words) != 2:
            failed.append(f"  {chunk.id}: expected a question and an answer, a line each, found {len(words)} lines")
            continue
        made.append(drafts.draft(chunk, *words))
    return made, failed


def review(options: argparse.Namespace) -> Said:
    """Go through the drafts that nobody has looked at; every decision is stored at once."""
    corpus = _own(options)
    chunks = {chunk.id: chunk for chunk in corpus.chunks}
    rows = drafts.read(corpus)
    waiting = [row for row in rows if not row.get("reviewed", True)]
    kept = dropped = 0
    for number, row in enumerate(waiting, start=1):
        passages = "\n\n".join(chunks[name].text for name in row["grades"])
        shown = f"\n[{number} of {len(waiting)}]\n{passages}\n"
        choice = _asked(f"{shown}\n  question  {row['question']}\n  answer    {row['answer']}\n{_REVIEW}")
        if choice not in ("y", "n", "e"):
            break
        if choice == "n":
            rows.remove(row)
            dropped += 1
        else:
            if choice == "e":
                row["question"] = _asked("question  ") or row["question"]
                row["answer"] = _asked("answer    ") or row["answer"]
            row["reviewed"] = True
            kept += 1
        drafts.write(corpus.root, rows)
    left = len(waiting) - kept - dropped
    return Said(
        f"{kept} kept, {dropped} dropped, {left} not looked at", {"kept": kept, "dropped": dropped, "left": left}
    )


def _asked(prompt: str) -> str:
    try:
        return input(prompt).strip()
    except EOFError:
        return "q"


def template(options: argparse.Namespace) -> Said:
    """Write a line for each chosen section, the question still to be written."""
    corpus = _own(options)
    rows = [
        drafts.draft(chunk, "", "", reviewed=True) | {"id": f"q{number:03}", "passage": chunk.text}
        for number, chunk in enumerate(drafts.spread(corpus.chunks, options.n), start=1)
    ]
    path = drafts.write(corpus.root, rows, TEMPLATE)
    text = f"""{path}: {len(rows)} sections. To make questions of them:
  1  write "question" and "answer" on each line as a person would ask; delete lines that you do not want
  2  a question that needs two documents: "tier": "multi", both in "evidence", their sections in "grades" with 2
  3  some that the documents do not answer: "tier": "unanswerable", "evidence": [], "grades": {{}}
  4  save it as questions.jsonl, then  python -m querylab calibrate --corpus {options.corpus} --write"""
    return Said(text, {"sections": len(rows), "path": str(path)})


def _own(options: argparse.Namespace) -> Corpus:
    corpus = load_corpus(options.corpus)
    if not (corpus.root / "docs").is_dir():
        raise settings.SettingError(f"{corpus.root} is a folder of BEIR's shape, with questions of its own.")
    return corpus
