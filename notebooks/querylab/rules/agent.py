"""The agentic loop by rule: which searches to make next, given what has been searched and found.

In: the question, the searches made so far, and the passages that came back. Out: the next searches; none when there
is enough.
"""

from collections.abc import Sequence
from itertools import pairwise

from querylab.rules.bridge import bridge
from querylab.rules.intent import is_multi_hop
from querylab.rules.mentions import mentions
from querylab.rules.sub_questions import sub_questions
from querylab.rules.words import clean, lexicon


def compared(question: str) -> list[str]:
    """List the two things that a question compares (「月票和次票的区别」); empty when it compares none."""
    text = clean(question)
    if not any(word in text for word in lexicon("compares")):
        return []
    named = mentions(text)
    pairs = pairwise(named)
    return next(([a.text, b.text] for a, b in pairs if text[a.end : b.start] in ("和", "与", "跟", "、", "还是")), [])


def next_searches(question: str, made: Sequence[str], passages: Sequence[str]) -> list[str]:
    """Choose the next searches.

    Rule: first the question; with it, for two compared things, each of them. Then, for a question with a bridge, the
    bridge query from the passages found; for several asking clauses, each of the sub-questions. Then enough.
    Limits: at most one bridge; what was found is not judged.
    Example: 「月票和次票的区别」 → the question, 「月票」, 「次票」.
    """
    if not question.strip() or len(made) > 1:
        return []
    if not made:
        return list(dict.fromkeys([question, *compared(question)]))
    chosen = [bridge(question, passages)] if is_multi_hop(question) else sub_questions(question)
    return [query for query in dict.fromkeys(chosen) if query and query != question and query not in made]
