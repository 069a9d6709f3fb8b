"""A small corpus for tests: another domain, a handful of documents, written where a test wants it."""

import json
from pathlib import Path
from typing import Any

MANIFEST = (
    'name = "泳馆手册"\nlanguage = "zh"\n\n[budgets]\ndefault = 200\nmulti_hop = 400\n\n'
    "[gates]\nbm25 = 1.0\ncosine = 0.5\n"
)

DOCS: dict[str, str] = {
    "01-pool.md": (
        "---\nid: pool\ntitle: 泳池开放规则\n---\n\n## 开放时间\n\n泳池每天六点开放，周末由值班救生长八点开门。\n\n"
        "## 救生员\n\n深水区由两名救生员值守，值班救生长负责排班。\n"
    ),
    "02-staff.md": "---\nid: staff\ntitle: 人员名单\n---\n\n## 救生长\n\n值班救生长是陆一鸣，分机号 4817。\n",
    "03-locker.md": "---\nid: locker\ntitle: 寄存柜\n---\n\n## 寄存\n\n寄存柜按小时收费，遗失手环赔偿二十元。\n",
}

QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "s1",
        "tier": "single",
        "question": "寄存柜遗失手环赔偿多少",
        "evidence": ["locker"],
        "grades": {"locker#1": 2},
        "answer": "二十元。",
    },
    {
        "id": "m1",
        "tier": "multi",
        "question": "周末给泳池开门的人分机号是多少",
        "evidence": ["pool", "staff"],
        "grades": {"pool#1": 2, "pool#2": 1, "staff#1": 2},
        "answer": "4817。",
    },
    {"id": "u1", "tier": "unanswerable", "question": "能带狗吗", "evidence": [], "grades": {}, "answer": ""},
]

DIALOGUES: list[dict[str, Any]] = [
    {
        "id": "d1",
        "turns": [
            {
                "user": "周末谁开门",
                "assistant": "值班救生长。",
                "standalone": "周末谁给泳池开门",
                "tier": "single",
                "evidence": ["pool"],
            },
            {"user": "谢谢", "assistant": "不客气。", "standalone": "谢谢", "tier": "direct", "evidence": []},
        ],
    }
]


def lines(objects: list[dict[str, Any]]) -> str:
    """Write objects as JSON lines."""
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in objects)


def write_corpus(folder: Path, files: dict[str, str | bytes | None] | None = None) -> Path:
    """Write the small corpus, with some files put in another form.

    Args:
        folder: where; made when missing.
        files: relative path → text or bytes in its place, or None to leave the file out.

    Returns:
        The folder.
    """
    content: dict[str, str | bytes | None] = {
        "manifest.toml": MANIFEST,
        "questions.jsonl": lines(QUESTIONS),
        "dialogues.jsonl": lines(DIALOGUES),
        **{f"docs/{name}": text for name, text in DOCS.items()},
        **(files or {}),
    }
    for name, text in content.items():
        if text is None:
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return folder
