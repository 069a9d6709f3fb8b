"""Own documents: folders of many kinds become a corpus that loads, and a BEIR folder is one as it is."""

import json
import zipfile
from pathlib import Path

import openpyxl
import pptx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot
from querylab.__main__ import main
from querylab.corpus.importing import import_folder
from querylab.corpus.load import load_corpus
from querylab.corpus.model import CorpusError
from querylab.corpus.sections import cut
from querylab.settings import SettingError
from querylab.text import count_tokens

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PAGE = """<html><head><title>T</title></head><body><h1>假期规定</h1><p>本规定适用于全体员工。</p><h2>年假</h2>
<table><tr><th>级别</th><th>天数</th></tr><tr><td>一级</td><td>5</td></tr></table><h3>结转</h3><p>最多结转三天。</p>"""


def word(path: Path, *paragraphs: str) -> None:
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    space = "http://schemas.openxmlformats.org/package/2006"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{space}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats'
            f'-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{space}/relationships"><Relationship Id="r1" Type="{relation}" '
            'Target="word/document.xml"/></Relationships>',
        )
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>')


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "sub").mkdir(parents=True)
    (folder / "page.html").write_text(PAGE, encoding="utf-8")
    (folder / "sub" / "说明.txt").write_bytes("门禁卡遗失当天报备。".encode("gb18030"))
    (folder / "notes.md").write_text("---\ntitle: 笔记\n---\n开头。\n\n## 一\n\n正文一。\n", encoding="utf-8")
    word(folder / "letter.docx", "差旅报销须在三十天内提交。")
    sheet = openpyxl.Workbook()
    sheet.active.title = "住宿"
    for row in (["城市", "上限"], ["甲城", 500]):
        sheet.active.append(row)
    sheet.save(folder / "rates.xlsx")
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = "安全培训", "每年一次"
    slides.save(folder / "slides.pptx")
    with pyplot.rc_context({"pdf.fonttype": 42}):
        figure = pyplot.figure()
        figure.text(0.1, 0.5, "Badges are returned on the last day.")
        figure.savefig(folder / "badge.pdf")
        pyplot.close(figure)
    (folder / "empty.md").write_text("\n", encoding="utf-8")
    (folder / "broken.docx").write_bytes(b"PK\x03\x04" + bytes(range(256)))
    (folder / "photo.heic").write_bytes(b"x")
    (folder / ".hidden.md").write_text("no", encoding="utf-8")
    return folder


def bodies(out: Path) -> dict[str, list[tuple[str, str]]]:
    return {
        document.id.rpartition("-")[0]: [(chunk.heading, chunk.body) for chunk in document.chunks]
        for document in load_corpus(out).documents
    }


def test_each_kind_is_read_and_the_corpus_loads(source: Path, tmp_path: Path) -> None:
    done = import_folder(source, tmp_path / "out")
    assert set(done.read) == {
        "badge.pdf", "letter.docx", "notes.md", "page.html", "rates.xlsx", "slides.pptx", "sub/说明.txt",
    }  # fmt: skip
    assert done.skipped["photo.heic"] == ".heic is not read"
    assert "no text" in done.skipped["empty.md"] and "cannot be read" in done.skipped["broken.docx"]
    found = bodies(tmp_path / "out")
    assert found["page"][0] == ("假期规定", "本规定适用于全体员工。")
    assert [heading for heading, _ in found["page"]] == ["假期规定", "年假", "年假 / 结转"]
    assert "| 一级 | 5 |" in found["page"][1][1]
    assert "| 甲城 | 500 |" in found["rates"][0][1]
    assert "每年一次" in found["slides"][0][1] and "三十天" in found["letter"][0][1]
    assert "last day" in found["badge"][0][1] and "报备" in found["doc"][0][1]
    assert found["notes"] == [("笔记", "开头。"), ("一", "正文一。")]
    assert load_corpus(tmp_path / "out").language == "zh"


def test_a_second_import_reads_what_changed_and_keeps_ids_and_edits(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    import_folder(source, out)
    ids = {document.id for document in load_corpus(out).documents}
    again = import_folder(source, out)
    assert not again.read and len(again.unchanged) == 7
    (source / "notes.md").write_text("# 新\n\n全变了。", encoding="utf-8")
    [edited] = (out / "docs").glob("page-*.md")
    edited.write_text(edited.read_text(encoding="utf-8") + "\n手写的一句。\n", encoding="utf-8")
    (source / "page.html").write_text(PAGE.replace("三天", "四天"), encoding="utf-8")
    (source / "rates.xlsx").unlink()
    done = import_folder(source, out)
    assert done.read == {"notes.md": 1} and done.removed == ["rates.xlsx"]
    assert "edited by hand" in done.skipped["page.html"] and "手写的一句" in edited.read_text(encoding="utf-8")
    assert {document.id for document in load_corpus(out).documents} == {
        item for item in ids if not item.startswith("rates")
    }
    edited.unlink()
    assert import_folder(source, out).read == {"page.html": 3}


def test_places_that_cannot_be(source: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="no folder"):
        import_folder(tmp_path / "nowhere", tmp_path / "out")
    with pytest.raises(SettingError, match="lies inside"):
        import_folder(source, source / "out")


def test_long_sections_are_cut_and_nothing_is_lost() -> None:
    row = "| 城市{} | 住宿上限五百元 |"
    table = "\n".join(["| 城市 | 上限 |", "| --- | --- |", *(row.format(number) for number in range(40))])
    prose = "".join(f"第{number}条规定员工应当遵守。" for number in range(60))
    code = "```\n# no heading\n\n## neither\n```"
    title, sections = cut(f"# 题\n\n{prose}\n\n{table}\n\n{code}", "x", limit=120)
    assert title == "题" and len(sections) > 5
    assert all(count_tokens(section.body) <= 120 for section in sections)
    everything = "\n".join(section.body for section in sections)
    assert all(row.format(number) in everything for number in range(40))
    assert all(f"第{number}条" in everything for number in range(60)) and code in everything
    assert all(section.body.startswith("| 城市 | 上限 |") for section in sections if "住宿上限" in section.body[:60])
    assert len({section.heading for section in sections}) == len(sections)


LINES = st.lists(
    st.sampled_from(["# 甲", "## 乙", "### 丙", "正文。", "", "- 一", "| a |", "```", "<!-- x", "## ", "---"]),
    max_size=25,
)


@given(LINES)
def test_whatever_is_cut_loads_again(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    folder = tmp_path_factory.mktemp("cut")
    (folder / "in").mkdir()
    (folder / "in" / "a.md").write_text("\n".join(lines), encoding="utf-8")
    done = import_folder(folder / "in", folder / "out")
    if done.read:
        assert len(load_corpus(folder / "out").chunks) == done.read["a.md"]


def test_the_command_tells_what_became_of_every_file(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(source), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "7 read" in said and "skipped   broken.docx" in said and "page.html: 3 sections" in said


# ── BEIR ────────────────────────────────────────────────────────────────────────────────────────
def lines(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    texts = ["Unused leave lapses in March.", "Badges are returned to the desk.", "Hotels cost up to 500 a night."]
    lines(folder / "corpus.jsonl", [{"_id": f"D_{n}", "title": "", "text": text} for n, text in enumerate(texts)])
    lines(folder / "queries.jsonl", [{"_id": "q1", "text": "When does leave lapse?"}, {"_id": "q2", "text": "Badges?"}])
    head = "query-id\tcorpus-id\tscore\n"
    (folder / "qrels" / "test.tsv").write_text(f"{head}q1\tD_0\t2\nq1\tD_1\t1\nq1\tD_2\t0\n", encoding="utf-8")
    (folder / "qrels" / "train.tsv").write_text(f"{head}q2\tD_1\t1\nq2\tD_2\t1\n", encoding="utf-8")
    return folder


def test_a_beir_folder_is_a_corpus_as_it_is(beir: Path) -> None:
    corpus = load_corpus(beir)
    [question] = corpus.questions
    assert (question.tier, question.evidence, dict(question.grades)) == ("single", ("D_0",), {"D_0#1": 2, "D_1#1": 1})
    [other] = corpus.sets["train"]
    assert (other.tier, other.evidence) == ("multi", ("D_1", "D_2"))
    assert (corpus.language, corpus.gates, len(corpus.chunks)) == ("en", None, 3)


def test_a_beir_folder_runs_through_calibrate_ledger_and_lost(
    beir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", "--corpus", str(beir), "--write"]) == 0
    assert main(["lost", "--corpus", str(beir)]) == 0
    assert "D_0" in capsys.readouterr().out
    arguments = ["ledger", "--corpus", str(beir), "--config", "HyDE", "--json", "--trec", str(tmp_path / "trec")]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["recall_single_hop"] == 1.0
    assert "q1 0 D_0#1 2" in (tmp_path / "trec" / "qrels.txt").read_text(encoding="utf-8")


def test_a_beir_folder_s_faults_are_told_with_their_lines(beir: Path) -> None:
    (beir / "qrels" / "test.tsv").write_text("q1\tD_9\t1\nq7\tD_0\t1\nnonsense\n", encoding="utf-8")
    with (beir / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"_id": "D_0", "text": "again"}\n')
    with pytest.raises(CorpusError) as error:
        load_corpus(beir)
    said = str(error.value)
    for words in ("test.tsv:1: document 'D_9'", "test.tsv:2: query 'q7'", "test.tsv:3: expected", "corpus.jsonl:4:"):
        assert words in said
