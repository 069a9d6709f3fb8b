"""Words made at grading time: people, roles, places, things and figures that nobody can have written into a file.

In: a seeded random number generator. Out: sentences of no domain that the corpus has. The same seed gives the same
words, so the same hand-in always meets the same scenes.
"""

import random
from collections.abc import Sequence

from querylab.types import Turn

from checks.oracle.observe import Reply

_FIRST = "典展藏育灯港窑坊航机票务质检仓货餐园林桥渡站场泊索矿窖塔舱琴画"
_SECOND = "陈布借养修测运检讲导调采编播录验保护制作染织绘造管"
_ROLES = ("组长", "领班", "站长", "馆员", "值班长", "调度", "主管", "队长")
_THINGS = ("泳镜", "储物柜", "雨棚", "画架", "琴房", "暗房", "皮划艇", "帐篷", "缆车", "温室", "窑炉", "推车", "讲解器")
_ASKS = ("怎么收费", "怎么预约", "什么时候检修", "丢了怎么赔", "由谁保管", "放在几楼", "最长能借多久", "坏了找谁")
_ENGLISH = ("kiln", "kayak", "darkroom", "locker", "greenhouse", "cable car", "easel", "tent")
_ENGLISH_ASKS = ("how much is the {}", "who looks after the {}", "when does the {} open", "how long may I keep the {}")


class Words:
    """One source of words."""

    def __init__(self, seed: int | str) -> None:
        self.random = random.Random(str(seed))

    def one(self, items: Sequence[str]) -> str:
        """Take one of several."""
        return self.random.choice(items)

    def number(self, least: int = 11, most: int = 989) -> int:
        """Make a figure."""
        return self.random.randint(least, most)

    def role(self) -> str:
        """Make a role: 「灯布站长4817」."""
        return f"{self.one(_FIRST)}{self.one(_SECOND)}{self.one(_ROLES)}{self.number(1000, 9999)}"

    def thing(self) -> str:
        """Make a thing: 「乙七号皮划艇」."""
        return f"{self.one('甲乙丙丁戊己庚')}{self.number()}号{self.one(_THINGS)}"

    def question(self) -> str:
        """Make a complete question, in Chinese or now and then in English."""
        if self.random.random() < 0.2:
            return self.one(_ENGLISH_ASKS).format(f"{self.one(_ENGLISH)} {self.number()}")
        return f"{self.thing()}{self.one(_ASKS)}"

    def statement(self) -> str:
        """Make a sentence that an assistant may have said."""
        return f"{self.thing()}由{self.role()}负责，每次{self.number()}元。"

    def history(self, turns: int) -> list[Turn]:
        """Make a conversation of so many messages, oldest first."""
        return [
            {"role": "user", "content": self.question()}
            if index % 2 == 0
            else {"role": "assistant", "content": self.statement()}
            for index in range(turns)
        ]

    def line(self) -> str:
        """Make a search text."""
        return f"{self.role()} {self.thing()} {self.one(('联系方式', '收费标准', '管理规定', '开放时间'))}"


def unusable(words: Words) -> list[Reply]:
    """Replies that cannot be used, one of each kind."""
    return [
        Reply("", "refusal", kind="模型拒绝（stop_reason 是 refusal）"),
        Reply(f"我不能回答{words.thing()}", "refusal", kind="模型拒绝，还带着一句话"),
        Reply("", kind="没有文字"),
        Reply(" \n\u3000\n", kind="只有空白"),
        Reply("", thinking="先想想", kind="只有思考，没有文字"),
        Reply(words.line()[:6], "max_tokens", kind="被截断（stop_reason 是 max_tokens）"),
        Reply(fails=True, kind="这次调用失败（CallFailed）"),
    ]


def dressed(words: Words, line: str, label: str = "改写") -> list[Reply]:
    """One line in every dress that a model gives it."""
    return [
        Reply(line),
        Reply(f"1. {line}"),
        Reply(f"{label}：「{line}」\n\n（说明：补全了指代）"),
        Reply(f"\r\n\u3000**{line}**\r\n"),
        Reply(f"以下是{label}：\n- {line}\n- {words.line()}"),
        Reply(line, thinking=f"先想想：{words.line()}", kind=f"先是一段思考，然后 {line!r}"),
        Reply((line[:4], line[4:]), kind=f"分成两块的 {line!r}"),
    ]
