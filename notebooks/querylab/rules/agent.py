"""The agentic loop by rule: which searches to make next, given what has been searched and found.

In: the question, the searches made so far, and the passages that came back. Out: the next searches; none
when there is enough.
"""

import re
from collections.abc import Sequence

from querylab.rules import asking, named, phrases
from querylab.rules.bridge import bridge
from querylab.rules.intent import is_multi_hop

_COMPARES = re.compile(r"区别|不同|差别|差异|对比|比较|相比|分别|各|哪个|哪种|\bvs\b", re.IGNORECASE)


def next_searches(question: str, made: Sequence[str], passages: Sequence[str]) -> list[str]:
    """Choose the next searches.

    Rule: first the question; with it, for two coordinated things, each of them. Then, for a question with a bridge, the
    bridge query from the passages found; for several asking clauses, each clause that was not searched, with the topic
    of the question in front where it names none. Then enough.
    Limits: at most one bridge; what was found is not judged.
    Example: 「月票和次票的区别」 → the question, 「月票」, 「次票」.
    """
    if not question.strip():
        return []
    if not made:
        pair = named.pair(question) if _COMPARES.search(question) else None
        sides = [side for side in pair or () if len(side) > 1]
        return list(dict.fromkeys([question, *(sides if len(sides) == 2 else ())]))
    if len(made) > 1:
        return []
    chosen: list[str] = []
    if is_multi_hop(question.casefold()):
        second = bridge(question, passages)
        chosen = [second] if second != question else []
    else:
        chosen = _clauses(question)
    return [query for query in dict.fromkeys(chosen) if query and query not in made]


def _clauses(question: str) -> list[str]:
    asks = [clause for clause in asking.clauses(question) if asking.asked(clause).kind != "other"]
    if len(asks) < 2:
        return []
    topic = phrases.topic(question)
    return [clause if phrases.has_topic(clause) or not topic else f"{topic}{clause}" for clause in asks]
