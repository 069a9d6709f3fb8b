"""A stream of questions made from the corpus by rule, to measure the rewrite cache. ``python -m checks.stream``.

In: a corpus, a length, a seed. Out: questions as a day brings them: new ones, repeats, paraphrases, and near misses
(a number, name, denial, limit, question word or verb changed, or two things exchanged). Each carries its meaning, so
that a false join can be counted: two questions that were given one rewrite though they mean different things.
"""

import asyncio
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from querylab import prompts, settings
from querylab.corpus.model import Corpus
from querylab.guard.caches import CachingClient, Level, RewriteCache, fingerprint
from querylab.pipeline.lab import Lab
from querylab.retrieval.encoder import Encoder

LENGTH, SEED = 500, 9
SHARES = {"repeat": 0.40, "paraphrase": 0.20, "near miss": 0.15}
"""How often each comes; the rest is new. Assumed, not observed: another team's traffic has other shares."""

Kind = Literal["new", "repeat", "paraphrase", "near miss"]


@dataclass(frozen=True)
class Item:
    """One question of the stream: its text, what was done, and what it means (one text a meaning)."""

    text: str
    kind: Kind
    meaning: str


_PARAPHRASES = (
    ("是怎么规定的", "的规定是什么"),
    ("能不能", "能否"),
    ("多久", "多长时间"),
    ("怎么", "如何"),
    ("什么时候", "何时"),
    ("多少钱", "多少费用"),
    ("哪些", "什么"),
    ("可以", "能"),
    ("遗失", "丢失"),
    ("", "请问"),
    ("", "想问一下，"),
)
_NEAR_MISSES = (
    (r"\d+", lambda found: str(int(found[0]) + 1)),
    (r"(?<!第)[二三四五六七八](?=[天年月级个分万])", lambda found: "九"),
    (r"一线城市", lambda found: "二线城市"),
    (r"年假", lambda found: "病假"),
    (r"工作日", lambda found: "周末"),
    (r"周末", lambda found: "工作日"),
    (r"最晚", lambda found: "最早"),
    (r"最多|最长", lambda found: "至少"),
    (r"上限", lambda found: "下限"),
    (r"不能|不可以", lambda found: "能"),
    (r"(?<!有)没", lambda found: ""),
    (r"能不能", lambda found: "是不是不能"),
    (r"(?<!不)可以", lambda found: "不可以"),
    (r"试用期|正式员工|实习生", lambda found: "外包人员"),
    (r"紧急", lambda found: "普通"),
    (r"财务主管|采购主管", lambda found: "行政主管"),
    (r"北京|成都", lambda found: "杭州"),
    (r"离职", lambda found: "入职"),
    (r"客户", lambda found: "供应商"),
    (r"证书", lambda found: "口令"),
    (r"电脑", lambda found: "手机"),
    # another question about the same things
    (r"怎么(?!规定)|如何", lambda found: "何时"),
    (r"由?谁", lambda found: "何时"),
    (r"多久|多长时间|什么时候", lambda found: "由谁"),
    (r"审批|审核|批准|核实", lambda found: "申请"),
    (r"提交", lambda found: "领取"),
    (r"名字", lambda found: "电话"),
    (r"能不能|能(?!不)", lambda found: "要不要"),
    # the same words the other way round
    (r"(\w{2}[组部])(.{1,8}?)(\w{2}[组部])", lambda found: f"{found[3]}{found[2]}{found[1]}"),
)


def stream(corpus: Corpus, length: int = LENGTH, seed: int = SEED) -> list[Item]:
    """Make the stream; the same corpus, length and seed give the same stream."""
    chance = random.Random(seed)
    fresh = _bases(corpus)
    chance.shuffle(fresh)
    told: list[Item] = []
    kinds = [*SHARES, "new"]
    weights = [*SHARES.values(), 1 - sum(SHARES.values())]
    while len(told) < length:
        (kind,) = chance.choices(kinds, weights)
        item = _next(kind, told, fresh, chance)
        if item:
            told.append(item)
    return told


def _bases(corpus: Corpus) -> list[str]:
    asked = [question.question for question in corpus.questions]
    asked += [question.question for questions in corpus.sets.values() for question in questions]
    headings = [f"{chunk.title}里{chunk.heading}是怎么规定的" for chunk in corpus.chunks]
    return list(dict.fromkeys(asked + headings))


def _next(kind: str, told: list[Item], fresh: list[str], chance: random.Random) -> Item | None:
    if kind == "new" or not told:
        return Item(text := fresh.pop(), "new", text) if fresh else None
    # What was asked often is asked again: an item told twice is twice as likely.
    before = chance.choice(told)
    if kind == "repeat":
        return Item(before.text, "repeat", before.meaning)
    known = {item.text for item in told}
    if kind == "paraphrase":
        ways = [way for way in _paraphrases(before.meaning) if way not in known]
        return Item(chance.choice(ways), "paraphrase", before.meaning) if ways else None
    ways = [way for way in _near_misses(before.meaning) if way not in known and way != before.meaning]
    return Item(text := chance.choice(ways), "near miss", text) if ways else None


def _paraphrases(text: str) -> Iterator[str]:
    for old, new in _PARAPHRASES:
        if not old:
            yield new + text
        elif old in text and (old != "可以" or "不可以" not in text):
            yield text.replace(old, new, 1)


def _near_misses(text: str) -> Iterator[str]:
    for pattern, new in _NEAR_MISSES:
        changed = re.sub(pattern, new, text, count=1)
        if changed != text:
            yield changed


class _Remembering:
    """An encoder that encodes a text once, however many caches are measured."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.known: dict[str, np.ndarray] = {}

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Encode texts; see :meth:`querylab.retrieval.encoder.SentenceEncoder.encode`."""
        for text in texts:
            if text not in self.known:
                self.known[text] = self.encoder.encode([text])[0]
        return np.stack([self.known[text] for text in texts])


@dataclass(frozen=True)
class Measured:
    """What one kind of cache did with a stream.

    Attributes:
        name: of the cache.
        asked: calls that the model still got.
        hits: how many each level answered.
        false_joins: pairs (question, question whose rewrite it was given) that mean different things.
    """

    name: str
    questions: int
    asked: int
    hits: dict[Level, int]
    false_joins: tuple[tuple[str, str], ...]

    @property
    def saved(self) -> float:
        """Share of the calls that was saved."""
        return 1 - self.asked / self.questions


async def measure(
    name: str,
    lab: Lab,
    items: list[Item],
    levels: tuple[Level, ...],
    may_share: Callable[[str, str], bool] | None = None,
    disk: Any = None,
    encoder: Encoder | None = None,
) -> Measured:
    """Send a stream through a cache, one rewriting call for each question."""
    rule = may_share or lab.techniques.get("may_share")
    cache = RewriteCache(encoder or lab.retriever.encoder, lab.techniques.get("cache_key"), rule, disk, levels)
    client = CachingClient(lab.client, cache, fingerprint(lab.corpus), "measuring")
    meaning = {item.text: item.meaning for item in items}
    joins = []
    for item in items:
        known = len(client.found)
        await client.messages.create(**prompts.rewrite([], item.text))
        for _, found in client.found[known:]:
            if meaning.get(found.kept.question) != item.meaning:
                joins.append((item.text, found.kept.question))
    cache.close()
    hits = {level: cache.hits[level] for level in levels}
    return Measured(name, len(items), cache.hits["asked"], hits, tuple(joins))


async def every(lab: Lab) -> list[Measured]:
    """Measure memory alone, meaning by cosine alone, and meaning under the rule."""
    items, encoder = stream(lab.corpus), _Remembering(lab.retriever.encoder)
    both: tuple[Level, ...] = ("memory", "meaning")
    return [
        await measure("L1", lab, items, ("memory",)),
        await measure("L1 + L3, cosine alone", lab, items, both, lambda one, other: True, encoder=encoder),
        await measure("L1 + L3, with the rule", lab, items, both, encoder=encoder),
    ]


def main() -> int:
    """Print the measurements."""
    lab = Lab.open(track="solution")
    for row in asyncio.run(every(lab)):
        print(
            f"{row.name:24} {row.questions} questions, {row.asked} asked ({row.saved:.0%} saved), "
            f"hits {row.hits}, false joins {len(row.false_joins)}"
        )
        for pair in row.false_joins[:5]:
            print("    " + "  ←  ".join(pair))
    print(f"L3 threshold: cosine > {settings.MEANING_CACHE_COSINE}")
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main())
