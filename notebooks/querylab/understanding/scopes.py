"""What is said when nothing has to be searched: one answer for each scope but KNOWLEDGE_QUERY.

By rule, without a call: what stands in the conversation or in the list of documents is told as it
stands, and nothing else is claimed.
"""

from collections.abc import Sequence

from querylab import settings
from querylab.prompts import clean_titles
from querylab.prompts.schema import Scope
from querylab.text import sentences
from querylab.types import Turn

GREETING = "你好！我可以帮你查资料里的内容，请直接说想了解什么。"
NOTHING_SAID = "我们还没有聊过什么。想查什么，请直接问。"
NO_DOCUMENTS = "现在没有可以查的文档。"
OUT_OF_SCOPE = "这个问题不在我能查的资料范围里，我就不乱答了。资料里有的内容，欢迎直接问。"
DECLINED = (
    "我只能查资料，不能替你办理、提交、发送或修改任何东西。我可以帮你查：办这件事要走什么流程、找谁审批、要哪些材料。"
)

SUMMARY_TURNS = 6
_CLIP = 60


def answer(scope: Scope, history: Sequence[Turn], titles: Sequence[str]) -> str:
    """Write the answer for a question that is not searched.

    Args:
        scope: any scope but KNOWLEDGE_QUERY.
        history: the conversation so far, oldest first.
        titles: the titles of all documents.

    Raises:
        ValueError: for KNOWLEDGE_QUERY, which has to be searched.
    """
    match scope:
        case "CHITCHAT":
            return GREETING
        case "META_CONVERSATION":
            return summary(history)
        case "KB_META":
            return listing(titles)
        case "OUT_OF_SCOPE":
            return OUT_OF_SCOPE
        case "TASK_EXECUTION":
            return DECLINED
    raise ValueError(f"{scope} has to be searched; it has no answer by rule.")


def summary(history: Sequence[Turn]) -> str:
    """Tell the conversation so far: each question with the first sentence of its answer, the last few of them."""
    lines: list[str] = []
    asked = ""
    for turn in history:
        text = " ".join(turn["content"].split())
        if turn["role"] == "user":
            if asked:
                lines.append(f"你问「{asked}」，还没有回答")
            asked = _clip(text)
        elif asked:
            first = (sentences(text) or [text])[0].rstrip("。.")
            lines.append(f"你问「{asked}」，回答是「{_clip(first)}」")
            asked = ""
    if asked:
        lines.append(f"你问「{asked}」，还没有回答")
    if not lines:
        return NOTHING_SAID
    return "到目前为止：" + "；".join(lines[-SUMMARY_TURNS:]) + "。"


def listing(titles: Sequence[str]) -> str:
    """Tell how many documents there are, and the first few of their titles."""
    shown = clean_titles(titles)
    if not shown:
        return NO_DOCUMENTS
    more = f"等，一共 {len(titles)} 份" if len(titles) > len(shown) else f"，一共 {len(titles)} 份"
    return f"可以查的文档有{''.join(f'《{title}》' for title in shown)}{more}（每次最多列 {settings.TITLES} 份）。"


def _clip(text: str) -> str:
    return text if len(text) <= _CLIP else f"{text[: _CLIP - 1]}…"
