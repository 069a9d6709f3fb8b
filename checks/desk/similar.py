"""Which hand-ins read alike: a hint for a conversation, never a proof; small exercises have few right forms.

In: the sources of all students. Out: pairs with the share of token sequences that two modules have in common beyond
what was handed out.
"""

import io
import itertools
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass

from querylab import settings
from querylab.pipeline.techniques import source_of

LENGTH = 8
"""Tokens in one sequence."""
FEWEST = 25
"""Sequences below which a module is too short to be compared."""
FROM = 0.8
_SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}


@dataclass(frozen=True)
class Pair:
    """Two students, one exercise, and the share that their modules have in common (0 to 1)."""

    one: str
    other: str
    exercise: str
    share: float


def sequences(source: str) -> frozenset[tuple[str, ...]]:
    """The token sequences of a module, without comments and layout; what cannot be read has none."""
    try:
        tokens = [
            token.string
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type not in _SKIPPED and not token.string.startswith(('"""', "'''"))
        ]
    except (tokenize.TokenError, SyntaxError):
        return frozenset()
    return frozenset(tuple(tokens[start : start + LENGTH]) for start in range(len(tokens) - LENGTH + 1))


def pairs(sources: Mapping[str, Mapping[str, str]]) -> list[Pair]:
    """Find pairs of students whose modules are alike.

    Args:
        sources: student → exercise → source.

    Returns:
        Pairs from :data:`FROM` on, most alike first.
    """
    found = []
    for exercise in sorted({name for modules in sources.values() for name in modules}):
        handed_out = sequences(source_of(settings.STARTER_DIR / f"{exercise}.py"))
        own = {
            student: mine
            for student, modules in sorted(sources.items())
            if len(mine := sequences(modules.get(exercise, "")) - handed_out) >= FEWEST
        }
        for (one, mine), (other, theirs) in itertools.combinations(own.items(), 2):
            share = len(mine & theirs) / len(mine | theirs)
            if share >= FROM:
                found.append(Pair(one, other, exercise, round(share, 3)))
    return sorted(found, key=lambda pair: (-pair.share, pair.exercise, pair.one, pair.other))
