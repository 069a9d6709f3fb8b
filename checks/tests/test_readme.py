"""The READMEs: their ledger is today's, what they name exists, and both say the same."""

import asyncio
import re
from pathlib import Path

import pytest
from querylab.measure.evaluate import evaluate
from querylab.pipeline.config import NAMED

from checks.readme import READMES, measured_ledger, with_ledger

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", READMES)
def test_ledger_is_the_measured_one(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert text == with_ledger(text, measured_ledger()), "stale: run  python -m checks.readme"


@pytest.mark.parametrize("name", [*READMES, "CONTRIBUTING.md"])
def test_links_and_named_files_exist(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert target.startswith("http") or (ROOT / target).exists(), target
    for command in re.findall(r"python -m (querylab|checks)((?:\.\w+)?)", text):
        module = command[0] + command[1]
        folder = ROOT / ("notebooks/querylab" if command[0] == "querylab" else "checks")
        path = folder / (f"{command[1][1:]}.py" if command[1] else "__main__.py")
        assert path.exists(), f"python -m {module}"


def test_both_readmes_give_the_same_commands():
    blocks = [re.findall(r"```\w+\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL) for name in READMES]
    commands = [[re.sub(r"\s*#.*", "", line) for block in found for line in block.splitlines()] for found in blocks]
    english, chinese = ([re.sub(r'"…"|"……"|DIR|文件夹', "X", line).split() for line in lines] for lines in commands)
    assert english == chinese


def test_top_level_holds_what_the_readme_maps():
    folders = {"notebooks", "starter", "solution", "corpus", "checks"}
    assert all((ROOT / folder).is_dir() for folder in folders)
    requirements = (ROOT / "requirements.txt").read_text(encoding="utf-8").split()
    assert requirements[-2:] == ["-e", "."]
    named = {"jupyterlab", "anthropic", "numpy", "rank-bm25", "matplotlib", "ipywidgets", "nbval"}
    assert named <= {line.partition("==")[0] for line in requirements}


def test_every_requirement_is_pinned_and_agrees_with_the_constraints():
    pins = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, mark, version = line.partition("==")
            assert mark and version, line
            pins[name.casefold().replace("_", "-")] = version
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines():
        name, mark, version = line.partition("==")
        if mark:
            assert pins[name.casefold().replace("_", "-")] == version, line


def test_what_the_readme_says_of_the_ledger_holds(lab):
    async def every_row():
        return {config.name: (await evaluate(config, lab=lab)).row() for config in NAMED}

    rows = asyncio.run(every_row())
    base, everything = rows["baseline"], rows["everything on"]
    assert base["recall_single_hop"] == base["mrr"] == 1.0
    for name in ("rewrite (always)", "rewrite (when needed)"):
        for key in ("recall_single_hop", "recall_multi_hop", "ndcg_at_10", "mrr", "refused_rightly"):
            assert rows[name][key] == base[key], (name, key)
    hyde, multi, back, wide = (rows[name] for name in ("HyDE", "multi-query", "step-back", "router + multi-hop budget"))
    assert hyde["recall_multi_hop"] < base["recall_multi_hop"] and hyde["refused_rightly"] == 0
    assert hyde["ndcg_at_10"] < base["ndcg_at_10"]
    single = [row for name, row in rows.items() if name != "everything on"]
    assert hyde["output_tokens"] == max(row["output_tokens"] for row in single)
    assert multi["retrievals"] == 3 * base["retrievals"]
    assert multi["recall_multi_hop"] == base["recall_multi_hop"] == back["recall_multi_hop"]
    assert min(row["output_tokens"] for row in (hyde, multi, back)) == back["output_tokens"]
    assert wide["recall_multi_hop"] == 1.0 == everything["recall_multi_hop"]
    assert wide["refused_rightly"] == base["refused_rightly"] - 0.25
    assert everything["model_calls"] > 2 * wide["model_calls"]
