"""The lab: what stays the same while questions change, and the way in: :func:`ask`.

In: a corpus, a track of techniques, a model. Out: one :class:`~querylab.pipeline.trace.Trace` for each question.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from querylab import settings
from querylab.corpus.load import load_corpus
from querylab.corpus.model import Corpus
from querylab.models.protocol import Client
from querylab.pipeline import config as configs
from querylab.pipeline.client import make_client
from querylab.pipeline.config import BASELINE, DEFAULT_NAME, NAMED, Config
from querylab.pipeline.history import turns
from querylab.pipeline.run import go
from querylab.pipeline.state import Setup, TechniqueError
from querylab.pipeline.techniques import EXERCISES, Techniques
from querylab.pipeline.trace import Trace
from querylab.pipeline.wiring import open_run
from querylab.retrieval.protocol import Engine
from querylab.retrieval.retriever import Retriever
from querylab.text import whole
from querylab.types import Turn
from querylab.understanding import documents as documents_in_view


class Lab(Setup):
    """A :class:`~querylab.pipeline.state.Setup` that can be opened and asked."""

    @classmethod
    def open(
        cls,
        corpus: Corpus | Path | str = settings.CORPUS_DIR,
        track: settings.Track | Path | None = None,
        client: Client | None = None,
        progress: bool = False,
        retriever: Engine | None = None,
    ) -> "Lab":
        """Load a corpus, index it, and connect a model.

        Args:
            corpus: a loaded corpus, or a folder.
            track: whose techniques: ``starter``, ``solution`` or a folder; the environment's when None.
            client: a model client; the one ``MOCK`` asks for when None.
            progress: show a bar while indexing, when it takes over a second.
            retriever: an engine that has indexed this corpus; the built-in one, made anew, when None.

        Raises:
            CorpusError, SettingError: see there.
        """
        loaded = corpus if isinstance(corpus, Corpus) else load_corpus(corpus)
        return cls(
            loaded,
            retriever or Retriever(loaded.chunks, progress=progress),
            client or make_client(),
            Techniques.of_track(track or settings.track()),
        )

    def using(self, **functions: Any) -> "Lab":
        """Return the same lab with some technique functions put in by name, as checks do."""
        return replace(self, techniques=self.techniques.using(**functions))

    def borrow(self, *names: str) -> None:
        """Take exercises from the reference solution, in this lab and this session only.

        Args:
            names: exercises, such as ``rewrite``; one or several.

        Raises:
            MissingTechnique: for an unknown exercise; lists the known ones.
            SettingError: when the reference solution is not there; nothing is borrowed then.
        """
        borrowed = self.techniques
        for name in names:
            borrowed = borrowed.borrow(name)
            if not borrowed.path(EXERCISES[name]).is_file():
                raise settings.SettingError(f"solution/{name}.py is not there, so nothing can be borrowed.")
        self.techniques = borrowed
        for name in names:
            print(f"{name} 暂时用参考答案（solution/{name}.py），只在这个笔记本里、这一次有效；starter/ 没有改动。")

    def configs(self) -> list[Config]:
        """List the ledger's configurations, with the track's default last.

        Raises:
            Unfinished: when the track's ``default_config.py`` is not yet written.
        """
        return [*NAMED, self.default_config()]

    def default_config(self) -> Config:
        """Return the track's ``DEFAULT_CONFIG``, under the name that the ledger gives it.

        Raises:
            Unfinished: when it is not yet written.
            TechniqueError: when it is no Config.
        """
        config = self.techniques.get("DEFAULT_CONFIG")
        if not isinstance(config, Config):
            raise TechniqueError(f"DEFAULT_CONFIG should be a querylab Config, found {type(config).__name__}.")
        return replace(config, name=DEFAULT_NAME)

    def config(self, name: str) -> Config:
        """Find a configuration by its ledger name; case, spaces, brackets and hyphens do not matter.

        Raises:
            KeyError: lists the known names.
        """
        if configs.plain(name) in (configs.plain(DEFAULT_NAME), "default"):
            return self.default_config()
        found = configs.named(name)
        if found is None:
            known = ", ".join(f"{config.name!r}" for config in configs.all_rows())
            raise KeyError(f"No configuration is called {name!r}. Known: {known}, {DEFAULT_NAME!r}.")
        return found

    async def ask(
        self,
        question: str,
        history: Sequence[Turn] = (),
        config: Config = BASELINE,
        answer: bool = True,
        documents: Sequence[str] = (),
    ) -> Trace:
        """Send one question down its path.

        Args:
            question: as typed (half a surrogate pair, which no text has, becomes U+FFFD).
            history: the conversation before it, oldest first; content as a text or as the SDK's blocks.
            config: which techniques are on.
            answer: also write the answer (one call more, not counted on the query side).
            documents: ids or titles of documents that the person has in view, in their order. A question that points
                at them (这份文档, 第一份和第三份) is answered by reading those, without a search.

        Returns:
            The trace. Failed model calls are in its ``fallbacks``, not raised.

        Raises:
            MissingGates: for a corpus that has not been calibrated.
            ValueError: for a document in view that the corpus does not have, or a turn of another shape.
            Unfinished: when a technique that is on has not been written yet.
            TechniqueError: when a technique returns something of the wrong type.
        """
        in_view = documents_in_view.titles_of(documents, {doc.id: doc.title for doc in self.corpus.documents})
        return await go(open_run(self, whole(question), turns(history), config, in_view), answer)


@lru_cache(maxsize=1)
def default_lab() -> Lab:
    """The lab's own corpus with the environment's track and model, opened once."""
    return Lab.open()


def opened_lab() -> Lab | None:
    """The default lab where it has been opened already; looking costs nothing."""
    return default_lab() if default_lab.cache_info().currsize else None


async def ask(
    question: str,
    history: Sequence[Turn] = (),
    config: Config = BASELINE,
    lab: Lab | None = None,
    answer: bool = True,
    documents: Sequence[str] = (),
) -> Trace:
    """Ask one question: :meth:`Lab.ask` on the given lab, or on the default one."""
    return await (lab or default_lab()).ask(question, history, config, answer, documents)
