"""One's own traffic: a log read in every shape, kinds told, techniques weighed, a plan whose figures are the decision's."""

import asyncio
import json
import re

import pytest
from querylab.__main__ import main
from querylab.commands.traffic import read_log
from querylab.measure import traffic
from querylab.measure.intervals import Interval, bootstrap
from querylab.measure.plan import plan, sample_size
from querylab.measure.traffic import CANDIDATES, KINDS, Asked, Decision, Shares, Worth, decide, shares
from querylab.pipeline.config import named


def log(tmp_path, *rows):
    path = tmp_path / "log.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_log_is_read_in_every_shape(tmp_path):
    first = {"question": "泳镜怎么借", "session": "s", "answer": "凭卡借。"}
    asked = read_log(log(tmp_path, first, {"question": "那泳帽呢", "session": "s"}, "救生圈在哪里", ""))
    assert [item.question for item in asked] == ["泳镜怎么借", "那泳帽呢", "救生圈在哪里"]
    assert [turn["content"] for turn in asked[1].history] == ["泳镜怎么借", "凭卡借。"]
    assert asked[2].history == ()
    given = read_log(log(tmp_path, {"question": "多久", "history": [{"role": "user", "content": "泳镜怎么借"}]}))
    assert given == [Asked("多久", ({"role": "user", "content": "泳镜怎么借"},))]


@pytest.mark.parametrize(
    ("rows", "words"), [([{"q": "?"}], "line 1"), ([{"question": ""}], "line 1"), ([], "no question")]
)
def test_a_log_that_cannot_be_read_is_named(tmp_path, rows, words):
    with pytest.raises(ValueError, match=words):
        read_log(log(tmp_path, *rows))


def test_kinds_are_told_from_the_conversation(lab):
    past = ({"role": "user", "content": "显示器怎么申领"}, {"role": "assistant", "content": "在服务台提单。"})
    asked = [Asked("谢谢", past), Asked("多久能到", past), Asked("公司的班车几点发车")]
    found = asyncio.run(shares(lab, asked))
    assert found.total == 3 and found.unread == 0
    assert found.share("chit-chat") == found.share("follow-up") == pytest.approx(1 / 3)


def test_the_decision_weighs_every_technique_by_share(lab):
    follow_ups = asyncio.run(decide(lab, Shares({"follow-up": 10}, 0)))
    assert {line.config for line in follow_ups.lines} == set(CANDIDATES)
    assert follow_ups.lines[0].config == "rewrite (when needed)", "only rewriting helps follow-ups"
    best = follow_ups.lines[0]
    assert best.answered == pytest.approx(1000 * best.effects["follow-up"].gain.mean)
    assert best.net == pytest.approx(best.answered * traffic.WORTH_USD - best.usd)
    plain = asyncio.run(decide(lab, Shares({"plain": 10}, 0)))
    rewrite = next(line for line in plain.lines if line.config == "rewrite (when needed)")
    assert rewrite.answered == 0 and rewrite.calls == 0, "without a conversation nothing is rewritten"
    assert plain.source in ("rules", "recordings")


def test_every_candidate_is_a_row_and_every_row_a_switch():
    assert all(named(name) for name in CANDIDATES)
    assert Decision(Shares({"plain": 1}, 0), 0.1, "rules", ()).shares.share("chain") == 0.0


def worth(name: str, answered: float, low: float, high: float) -> Worth:
    return Worth(name, answered, low, high, 1000, 0.5, 0.4, answered * 0.02 - 0.5, {})


def test_the_plan_holds_the_decision_s_figures_and_a_way_back():
    lines = (worth("HyDE", 60, 20, 90), worth("multi-query", 40, -5, 90), worth("step-back", 10, 5, 20))
    text = plan(Decision(Shares({"plain": 3, "fuzzy": 1}, 2), 0.02, "recordings", lines))
    assert "hyde=True" in text and "| 说法模糊 | 25% |" in text and "+60" in text
    assert "区间跨零，先不开" in text and "不划算，不开" in text
    assert f"{sample_size(0.06):,}" in text
    for word in ("A/B", "日志", "报警", "退路", "Config()"):
        assert word in text
    nothing = plan(Decision(Shares({"plain": 3}, 0), 0.02, "rules", lines[1:2]))
    assert "照基线上线" in nothing and "A/B" not in nothing and "离线规则" in nothing


def test_the_size_of_a_test_is_the_textbook_s():
    # Fleiss, Levin & Paik, Statistical Methods for Rates and Proportions, 2003: 0.60 against 0.70 at 80 % power: 353.
    assert sample_size(0.10, 0.60) == pytest.approx(353, abs=3)
    assert sample_size(0.05) > sample_size(0.10)
    with pytest.raises(ValueError, match="zero"):
        sample_size(0)


def test_the_bootstrap_of_nothing_and_of_a_constant():
    assert bootstrap([[]]) is None
    assert bootstrap([[1.0, 1.0, 1.0]]) == Interval(1.0, 1.0, 1.0, 3)


def test_the_command_writes_the_plan(tmp_path, capsys):
    path = log(tmp_path, {"question": "年假能结转几天"}, {"question": "谢谢"})
    assert main(["traffic", str(path), "--plan", str(tmp_path / "plan.md"), "--worth", "0.05", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (
        set(data["shares"]) == set(KINDS) and data["worth_usd"] == 0.05 and len(data["techniques"]) == len(CANDIDATES)
    )
    assert re.search(r"按 \$0\.05 计", (tmp_path / "plan.md").read_text(encoding="utf-8"))
