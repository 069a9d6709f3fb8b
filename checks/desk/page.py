"""One page about a class: who passed what, where a class failed and how, and a section for each student.

In: the results. Out: HTML that needs nothing beside it. Everything that students wrote is escaped.
"""

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from querylab.lesson.progress import GOALS

from checks.desk.marking import EXERCISE_CHECKS
from checks.desk.similar import Pair

MARKS = {"passed": "✓", "unfinished": "○", "wrong": "✗"}
WORDS = {"passed": "通过", "unfinished": "尚未完成", "wrong": "不对"}
ROW = (
    ("recall_single_hop", "单跳召回", "{:.0%}"),
    ("recall_multi_hop", "多跳召回", "{:.0%}"),
    ("ndcg_at_10", "nDCG@10", "{:.3f}"),
    ("refused_rightly", "该拒而拒", "{:.0%}"),
    ("model_calls", "模型调用", "{:.0f}"),
    ("retrievals", "检索", "{:.0f}"),
    ("latency_p50_s", "延迟 p50（秒）", "{:.2f}"),
)
TITLES = {goal.check: goal.title for goal in GOALS}
COMMONEST = 3
STYLE = """
body{font:15px/1.6 system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:1rem 0}th,td{border:1px solid #ccc;padding:.2rem .5rem;text-align:center}
th:first-child,td:first-child{text-align:left}.scroll{overflow-x:auto}
.passed{background:#e2f2e4}.wrong{background:#f8dcd8}.unfinished{background:#f3f3f3;color:#666}
pre{white-space:pre-wrap;background:#f6f6f6;padding:.6rem;border-left:3px solid #ccc}
.bar{display:flex;width:22rem;height:1rem;border:1px solid #999}.bar span{display:block;height:100%}
.bar .passed{background:#6fae78}.bar .wrong{background:#c9695c}.bar .unfinished{background:#ddd}
section{border-top:1px solid #ddd;margin-top:1.5rem}@media print{details{display:block}}
"""


def page(results: Sequence[Mapping[str, Any]], alike: Sequence[Pair]) -> str:
    """Write the page.

    Args:
        results: one mapping a student, as :mod:`checks.grade` keeps it.
        alike: pairs of students whose modules are alike.
    """
    parts = [
        '<!doctype html><html lang="zh"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1"><title>querylab 验收</title>',
        f"<style>{STYLE}</style></head><body><h1>querylab 验收：{len(results)} 份</h1>",
        _table(results),
        "<h2>全班在哪里不对</h2>",
        _class(results),
        "<h2>相像的提交</h2>",
        _alike(alike),
        "<h2>每一份</h2>",
        *map(_student, results),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _table(results: Sequence[Mapping[str, Any]]) -> str:
    heads = "".join(f'<th title="{_e(TITLES.get(check.id, ""))}">{_e(check.id)}</th>' for check in EXERCISE_CHECKS)
    heads += "<th>通过</th><th>分钟</th>" + "".join(f"<th>{_e(name)}</th>" for _, name, _ in ROW)
    rows = []
    for number, result in enumerate(results, 1):
        name = f'<td><a href="#s{number}">{_e(result["name"])}</a></td>'
        if result["error"]:
            rows.append(
                f'<tr>{name}<td class="wrong" colspan="{len(EXERCISE_CHECKS) + 2 + len(ROW)}">读不出来</td></tr>'
            )
            continue
        states = [entry["state"] for entry in result["checks"]]
        cells = "".join(f'<td class="{state}" title="{WORDS[state]}">{MARKS[state]}</td>' for state in states)
        row = result["row"]
        figures = "".join(f"<td>{form.format(row[key]) if row else '—'}</td>" for key, _, form in ROW)
        rows.append(f"<tr>{name}{cells}<td>{states.count('passed')}</td><td>{result['minutes']}</td>{figures}</tr>")
    note = "<p>✓ 通过　○ 尚未完成　✗ 不对。右边是各人默认配置在 20 道题上的账本（离线规则，证明路走得通）。</p>"
    return f'{note}<div class="scroll"><table><tr><th>谁</th>{heads}</tr>{"".join(rows)}</table></div>'


def _class(results: Sequence[Mapping[str, Any]]) -> str:
    """A bar for each check, and the commonest first lines of what was said."""
    rows = []
    for check in EXERCISE_CHECKS:
        entries = [entry for result in results for entry in result["checks"] if entry["id"] == check.id]
        counts = Counter(entry["state"] for entry in entries)
        bar = "".join(
            f'<span class="{state}" style="width:{100 * counts[state] / len(entries):.1f}%"></span>' for state in MARKS
        ) if entries else ""  # fmt: skip
        said = Counter(entry["message"].split("\n")[0] for entry in entries if entry["state"] == "wrong")
        commonest = sorted(said.items(), key=lambda pair: (-pair[1], pair[0]))[:COMMONEST]
        words = "<br>".join(f"{count} 份：{_e(what)}" for what, count in commonest)
        told = f"{counts['passed']} ✓　{counts['wrong']} ✗　{counts['unfinished']} ○"
        rows.append(
            f'<tr><td>{_e(check.id)}</td><td><div class="bar">{bar}</div></td><td>{told}</td>'
            f'<td style="text-align:left">{words}</td></tr>'
        )
    return f"<table><tr><th>检查</th><th></th><th>份数</th><th>最常见的不对</th></tr>{''.join(rows)}</table>"


def _alike(alike: Sequence[Pair]) -> str:
    if not alike:
        return "<p>没有。</p>"
    rows = "".join(
        f"<tr><td>{_e(pair.exercise)}</td><td>{_e(pair.one)}</td><td>{_e(pair.other)}</td><td>{pair.share:.0%}</td></tr>"
        for pair in alike
    )
    note = "<p>只是一个提示，不是证据：练习小，对的写法本来就不多。先看代码，再谈话。</p>"
    return f"{note}<table><tr><th>练习</th><th>一份</th><th>另一份</th><th>相同的片段</th></tr>{rows}</table>"


def _student(result: Mapping[str, Any]) -> str:
    number = result["number"]
    head = f'<section id="s{number}"><h3>{_e(result["name"])}</h3><p>{_e("；".join(result["notes"]))}</p>'
    if result["error"]:
        return f'{head}<pre class="wrong">{_e(result["error"])}</pre></section>'
    parts = [head]
    for entry in result["checks"]:
        parts.append(f'<p><b class="{entry["state"]}">{MARKS[entry["state"]]} {_e(entry["id"])}</b></p>')
        if entry["state"] != "unfinished":
            parts.append(f"<pre>{_e(entry['message'])}</pre>")
        if entry["denied"]:
            parts.append(f"<p>评分时被拦下：{_e('、'.join(entry['denied']))}</p>")
        if entry["printed"].strip():
            parts.append(f"<details><summary>打印的内容</summary><pre>{_e(entry['printed'])}</pre></details>")
    for name, source in sorted(result["sources"].items()):
        parts.append(f"<details><summary>{_e(name)}.py</summary><pre><code>{_e(source)}</code></pre></details>")
    return "\n".join([*parts, "</section>"])


def _e(text: str) -> str:
    return html.escape(str(text).encode("utf-8", "replace").decode("utf-8"))
