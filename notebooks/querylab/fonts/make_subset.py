"""Make ``NotoSansSC-subset.ttf``: run once by hand, never at run time.

    python make_subset.py PATH/TO/NotoSansSC-Regular.ttf      (needs fonttools)

Kept: ASCII and Latin-1, GB2312 rows 1-9 (punctuation, arrows, kana, Greek) and its 3,755 characters
of level 1, the 700 most frequent of level 2 (``further.txt``, counted in jieba's dictionary), a few marks
that the pictures use, and every character that stands anywhere in this repository's texts, as far as the
font has it.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FAMILY = "QueryLab Sans SC"
MARKS = "→←↑↓↔⇒⇐↗↘▲▼△▽✓○●◎■□★☆◆◇▶◀░▒▓█─│–—−±×÷≥≤≠≈∞√ΣΔ²³°‰％…·「」『』《》〈〉①②③④⑤⑥⑦⑧⑨⑩⚠"
TEXTS = (".md", ".jsonl", ".toml", ".py", ".ipynb", ".txt", ".css")
SKIP = {".venv", ".git", ".lab", ".hypothesis", ".ruff_cache", "__pycache__"}


def wanted() -> set[str]:
    """Collect the characters to keep."""
    characters = {chr(code) for code in (*range(0x20, 0x7F), *range(0xA0, 0x100))} | set(MARKS)
    characters |= set((HERE / "further.txt").read_text(encoding="utf-8"))
    for row in (*range(1, 10), *range(16, 56)):
        for column in range(1, 95):
            characters.add(bytes([row + 0xA0, column + 0xA0]).decode("gb2312", errors="ignore"))
    for path in sorted(ROOT.rglob("*")):
        if path.suffix in TEXTS and not SKIP & set(path.parts) and path.is_file():
            characters |= set(path.read_text(encoding="utf-8", errors="ignore"))
    return characters - {""}


def main(source: str) -> None:
    """Subset the font, drop hinting and layout tables, and give the family a name of its own."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    font = TTFont(source, recalcTimestamp=False)
    options = subset.Options(
        hinting=False, layout_features=[], name_IDs=[0, 1, 2, 3, 4, 5, 6, 7, 9, 13, 14], notdef_outline=True
    )
    options.drop_tables += ["BASE", "GDEF", "GPOS", "GSUB", "STAT", "vhea", "vmtx", "gasp"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=[ord(character) for character in wanted()])
    cutter.subset(font)
    # A name of its own, so that a complete Noto Sans SC on the same machine is never shadowed.
    names = {1: FAMILY, 3: f"{FAMILY} subset", 4: FAMILY, 6: FAMILY.replace(" ", "")}
    for record in font["name"].names:
        if record.nameID in names:
            record.string = names[record.nameID]
    font.save(HERE / "NotoSansSC-subset.ttf")


if __name__ == "__main__":
    main(sys.argv[1])
