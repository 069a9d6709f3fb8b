"""Questions for one's own documents: drafted, told apart until somebody has looked, kept or dropped."""

import json
import shutil
from pathlib import Path

import pytest
from querylab import settings
from querylab.__main__ import main
from querylab.corpus.load import load_corpus


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    (folder / "docs").mkdir(parents=True)
    for path in sorted((settings.CORPUS_DIR / "docs").glob("*.md"))[:4]:
        shutil.copy(path, folder / "docs")
    shutil.copy(settings.CORPUS_DIR / "manifest.toml", folder)
    return folder


@pytest.fixture
def drafted(own: Path, tmp_path: Path) -> Path:
    """Five sections drafted by way of requests, results and a recording; the third reply is of no use."""
    requests = tmp_path / "requests.jsonl"
    assert main(["questions", "draft", "--corpus", str(own), "-n", "5", "--requests", str(requests)]) == 0
    asked = [json.loads(line) for line in requests.read_text(encoding="utf-8").splitlines()]
    assert len(asked) == 5
    results = tmp_path / "results.jsonl"
    with results.open("w", encoding="utf-8") as file:
        for number, row in enumerate(asked):
            text = "只有一行" if number == 2 else f"第{number}个问题怎么办？\n答案{number}。"
            message = {
                "id": "m", "type": "message", "role": "assistant", "model": "x", "stop_reason": "end_turn",
                "stop_sequence": None, "content": [{"type": "text", "text": text}],
                "usage": {"input_tokens": 1, "output_tokens": 1},
            }  # fmt: skip
            result = {"custom_id": row["custom_id"], "result": {"type": "succeeded", "message": message}}
            file.write(json.dumps(result, ensure_ascii=False) + "\n")
    arguments = ["record", "add", str(results), "--requests", str(requests), "--to", "mine", "--corpus", str(own)]
    assert main(arguments) == 0
    return own


def test_drafts_are_a_set_of_their_own_and_the_ledger_says_that_nobody_looked(
    drafted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = ["questions", "draft", "--corpus", str(drafted), "-n", "5", "--recording", "mine"]
    capsys.readouterr()
    assert main(again) == 1
    said = capsys.readouterr()
    assert "4 drafted" in said.out and "found 1 lines" in said.err
    corpus = load_corpus(drafted)
    assert not corpus.questions and len(corpus.question_set("draft")) == 4
    assert all(not question.reviewed and question.tier == "single" for question in corpus.question_set("draft"))
    assert main(["ledger", "--corpus", str(drafted), "--set", "questions_draft", "--config", "HyDE"]) == 0
    assert "4 of the questions were drafted by a model and nobody has looked" in capsys.readouterr().out
    assert main(again) == 1
    assert "0 drafted, 4 were there" in capsys.readouterr().out


def test_review_keeps_drops_mends_and_goes_on_later(
    drafted: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["questions", "draft", "--corpus", str(drafted), "-n", "5", "--recording", "mine"])
    shown: list[str] = []

    def typed(*answers: str) -> None:
        left = iter(answers)
        monkeypatch.setattr("builtins.input", lambda prompt: (shown.append(prompt), next(left))[1])

    typed("y", "n", "q")
    assert main(["questions", "review", "--corpus", str(drafted)]) == 0
    assert "1 kept, 1 dropped, 2 not looked at" in capsys.readouterr().out
    first = load_corpus(drafted).question_set("draft")[0]
    [section] = first.grades
    passage = next(chunk.text for chunk in load_corpus(drafted).chunks if chunk.id == section)
    assert passage in shown[0] and first.question in shown[0]
    typed("e", "改过的问题？", "", "y")
    assert main(["questions", "review", "--corpus", str(drafted)]) == 0
    found = load_corpus(drafted).question_set("draft")
    assert [question.reviewed for question in found] == [True] * 3
    assert found[1].question == "改过的问题？" and found[1].answer.startswith("答案")


def test_without_a_model_the_rules_write_nothing_and_a_template_loads_once_filled(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["questions", "draft", "--corpus", str(own)]) == 2
    assert "rules cannot write questions" in capsys.readouterr().err
    assert main(["questions", "template", "--corpus", str(own), "-n", "3"]) == 0
    assert "calibrate" in capsys.readouterr().out
    rows = [json.loads(line) for line in (own / "questions.template.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len({row["evidence"][0] for row in rows}) > 1, "spread over the documents"
    filled = [row | {"question": "怎么办？", "answer": "这样办。"} for row in rows]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in filled)
    (own / "questions.jsonl").write_text(text, encoding="utf-8")
    assert len(load_corpus(own).questions) == 3
