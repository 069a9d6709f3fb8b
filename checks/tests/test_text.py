"""Text in one form: what the index and the query must agree about."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from querylab.text import LETTERS_PER_TOKEN, count_tokens, normalise, sentences, tokenise

ASCII = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=30)
CHINESE = st.text(st.sampled_from("年假差旅报销审批流程的了在，。？！、；：（）「」 3级A5b"), max_size=40)
ANY = st.text(st.characters(), max_size=40)


def full_width(text: str) -> str:
    """The full-width form of printable ASCII."""
    return "".join(chr(ord(letter) + 0xFEE0) for letter in text)


# ── normalise ───────────────────────────────────────────────────────────────────────────────────
@given(ASCII)
def test_full_width_and_half_width_are_one_form(text):
    assert normalise(full_width(text)) == normalise(text) == text.lower()


@given(CHINESE | ASCII)
def test_normalising_twice_is_normalising_once(text):
    assert normalise(normalise(text)) == normalise(text)


@given(ANY)
def test_no_text_can_break_it(text):
    once = normalise(text)
    assert once == once.strip()
    assert "  " not in once
    assert "\n" not in once
    once.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("  年假\u3000 结转\n天数\t", "年假 结转 天数"),
        ("ＶＰＮ（５）", "vpn(5)"),
        ("Straße", "strasse"),
        ("ﬁle", "file"),
        ("①", "1"),
        ("\u3000\n", ""),
        ("half \ud83d pair", "half ? pair"),
    ],
)
def test_normal_forms(text, form):
    assert normalise(text) == form


# ── tokenise ────────────────────────────────────────────────────────────────────────────────────
@given(CHINESE | ASCII)
def test_case_and_width_do_not_change_the_terms(text):
    assert tokenise(text.upper()) == tokenise(text.lower()) == tokenise(text)
    assert tokenise(normalise(text)) == tokenise(text)


@given(ANY)
def test_every_term_holds_a_letter_or_digit_and_stands_in_the_text(text):
    form = normalise(text)
    for term in tokenise(text):
        assert any(letter.isalnum() for letter in term)
        assert term in form


@pytest.mark.parametrize("text", ["", " ", "\n\u3000\t", "。，！？", "😀🎉", "—— … ~", "(((", "___"])
def test_nothing_to_search_for(text):
    assert tokenise(text) == []


def test_long_words_come_with_the_words_inside_them_and_repetitions_stay():
    terms = tokenise("审计日志保存多久，审计日志")
    assert terms.count("审计") == terms.count("日志") == 2
    assert terms.index("审计") < terms.index("日志") < terms.index("保存")


def test_latin_words_and_numbers_stay_whole():
    terms = tokenise("用 Kafka 保存 180 天，端口 9092")
    assert {"kafka", "180", "9092"} <= set(terms)


def test_the_answer_belongs_to_the_caller():
    first = tokenise("年假结转")
    first.append("changed")
    assert "changed" not in tokenise("年假结转")


def test_terms_are_the_same_in_every_process():
    code = "from querylab.text import tokenise; print(ascii(tokenise('生产数据库主备切换 VPN 3 级变更')))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for seed in ("0", "4711")
    }
    assert found == {ascii(tokenise("生产数据库主备切换 VPN 3 级变更")) + "\n"}


# ── count_tokens ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\u3000", 0),
        ("，。！", 0),
        ("年假", 2),
        ("年假，结转。", 4),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("ab cd", 2),
        ("年a假", 3),
        ("12345678", 2),
        ("ＡＢＣＤ", 1),
        ("ひらがな", 4),
        ("한국어", 3),
        ("😀", 0),
    ],
)
def test_token_counts_by_hand(text, tokens):
    assert count_tokens(text) == tokens


@given(ANY, ANY)
def test_lines_add_up(one, other):
    # So the tokens of title, heading and body are those of the chunk, and a budget can be worked out by hand.
    assert count_tokens(f"{one}\n{other}") == count_tokens(one) + count_tokens(other)


@given(st.text("年假差旅", max_size=20), st.integers(0, 40))
def test_one_token_a_character_and_one_for_four_letters(chinese, letters):
    assert count_tokens(chinese) == len(chinese)
    assert count_tokens("x" * letters) == -(-letters // LETTERS_PER_TOKEN)


# ── sentences ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("\n\u3000\n", []),
        ("没有句号", ["没有句号"]),
        ("第一句。第二句！第三句？第四句；余下", ["第一句。", "第二句！", "第三句？", "第四句；", "余下"]),
        ("真的吗？！是的。", ["真的吗？！", "是的。"]),
        ("他说「走。」大家走了。", ["他说「走。」", "大家走了。"]),
        ("（见附件。）另行通知。", ["（见附件。）另行通知。"]),
        ("标题\n\n正文。\n", ["标题", "正文。"]),
        ("It costs 3.5 days. Ask the lead first. Then go!", ["It costs 3.5 days.", "Ask the lead first.", "Then go!"]),
        ("版本 3.5 可用，见 a.b.c", ["版本 3.5 可用，见 a.b.c"]),
    ],
)
def test_sentences_by_hand(text, parts):
    assert sentences(text) == parts


@given(CHINESE | ANY)
def test_no_sentence_is_lost_blank_or_unstripped(text):
    parts = sentences(text)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(part and part == part.strip() for part in parts)


@given(CHINESE)
def test_a_sentence_is_one_sentence(text):
    for part in sentences(text):
        assert sentences(part) == [part]
