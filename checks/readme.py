"""``python -m checks.readme``: write the measured ledger into both READMEs."""

import asyncio
import re
import sys

from querylab import settings
from querylab.commands.ledger import ledger_text
from querylab.measure.evaluate import evaluate
from querylab.pipeline.client import make_client
from querylab.pipeline.lab import Lab

READMES = ("README.md", "README.zh-CN.md")
_BLOCK = re.compile(r"(<!-- ledger -->\n).*?(<!-- /ledger -->)", re.DOTALL)


def measured_ledger() -> str:
    """Evaluate the solution track on the lab's corpus with the offline rules; return Markdown."""
    lab = Lab.open(track="solution", client=make_client("mock"))

    async def every_row() -> str:
        return ledger_text([await evaluate(config, lab=lab) for config in lab.configs()])

    return asyncio.run(every_row())


def with_ledger(text: str, ledger: str) -> str:
    """Put a ledger between the marks of a README.

    Raises:
        ValueError: when the marks are missing.
    """
    if not _BLOCK.search(text):
        raise ValueError("The README has no <!-- ledger --> … <!-- /ledger --> marks.")
    return _BLOCK.sub(lambda found: f"{found[1]}{ledger}\n{found[2]}", text)


def main() -> int:
    """Write the block where it is stale; print what changed."""
    ledger = measured_ledger()
    for name in READMES:
        path = settings.ROOT / name
        text = path.read_text(encoding="utf-8")
        fresh = with_ledger(text, ledger)
        if fresh != text:
            path.write_text(fresh, encoding="utf-8")
            print(f"wrote the ledger of {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
