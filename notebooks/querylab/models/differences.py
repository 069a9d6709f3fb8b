"""Where two recordings differ: how much of what a row shows is the draw, and not the technique.

Comes in: the replies of two recordings. Goes out: for each task how many requests both answered, how many of these
differently, and what only one of them holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from querylab.models.recording import Reply


@dataclass(frozen=True)
class Example:
    """One request that two recordings answered differently."""

    key: str
    about: str
    first: str
    second: str


@dataclass(frozen=True)
class Difference:
    """One task in two recordings.

    Attributes:
        task: the prompt's task.
        both: requests that both answered.
        differing: those of them with different replies; only blanks at the ends are overlooked.
        only_first, only_second: keys of requests that one of them holds alone.
        examples: some that differ, in the order of what was asked.
    """

    task: str
    both: int
    differing: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    examples: tuple[Example, ...]

    @property
    def share(self) -> float | None:
        """Share of differing replies, 0 to 1; None where the two have no request in common."""
        return self.differing / self.both if self.both else None


def said(reply: Reply) -> tuple[str, str]:
    """What a reply comes to: its text without blanks at the ends, and the inputs of its tool calls."""
    return reply.text.strip(), repr([sorted(given.items()) for given in reply.tool_use])


def shown(reply: Reply) -> str:
    """Write a reply in one line, for people."""
    calls = [" ".join(map(str, given.values())) for given in reply.tool_use]
    return " | ".join(filter(None, [" ".join(reply.text.split()), *calls])) or f"(empty, {reply.stop_reason})"


def differences(first: Mapping[str, Reply], second: Mapping[str, Reply], examples: int = 3) -> list[Difference]:
    """Compare two recordings, task by task.

    Args:
        first, second: key → reply.
        examples: how many differing replies to name for each task.

    Returns:
        One entry a task, in the tasks' order.
    """
    tasks = sorted({reply.task for replies in (first, second) for reply in replies.values()})
    return [_task(task, first, second, examples) for task in tasks]


def _task(task: str, first: Mapping[str, Reply], second: Mapping[str, Reply], examples: int) -> Difference:
    ours = {key: reply for key, reply in first.items() if reply.task == task}
    theirs = {key: reply for key, reply in second.items() if reply.task == task}
    both = ours.keys() & theirs.keys()
    differing = [key for key in both if said(ours[key]) != said(theirs[key])]
    differing.sort(key=lambda key: (ours[key].about, key))
    return Difference(
        task,
        len(both),
        len(differing),
        tuple(sorted(ours.keys() - both)),
        tuple(sorted(theirs.keys() - both)),
        tuple(Example(key, ours[key].about, shown(ours[key]), shown(theirs[key])) for key in differing[:examples]),
    )
