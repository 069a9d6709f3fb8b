"""Query understanding: one call, ten fields; and deterministic signals that correct it in one direction."""

import json
import re
from collections.abc import Sequence
from typing import Any

from querylab import Turn, Understanding, fields_of, prompts, text_of

_ASKS = r"(?:怎|如何|多少|多久|多长|几|什么|何时|哪|谁|吗|是否|能不能|可不可以|要不要)"
_AND = r"(?:和|与|跟|同|及|、|以及)"
_PART = r"[^，,。；;？?]"

FORMS: dict[str, re.Pattern[str]] = {
    # name → a form of a sentence, never a word alone: 「什么是对比学习」 compares nothing
    "对比": re.compile(
        rf"(?:对比|比较)(?:一下|下)?{_PART}+?{_AND}{_PART}|{_PART}{_AND}{_PART}+?(?:对比(?!度)|比较一下|比一比|比起来|相比|做个比较)"
    ),
    "区别": re.compile(rf"{_PART}{{1,20}}{_AND}{_PART}{{1,20}}?(?:区别|差别|差异|不同(?![意步])|不一样|差在)"),
    "分别": re.compile(
        r"分别(?:讲|说|介绍|列|解释|谈|写)|(?<=.)(?:分别|各自?)(?:是|要|需|有|占|在|得|该|怎|如何|多少|几)"
    ),
    "以及": re.compile(rf"{_PART}{{2,}}以及{_PART}*?{_ASKS}|{_ASKS}{_PART}*以及{_PART}{{2,}}"),
    "vs": re.compile(r"[^在用给装载是开\W]\s*\bvs\b\.?\s*[\w（(]|[\u4e00-\u9fff]vs\.?[\u4e00-\u9fff]", re.IGNORECASE),
    "哪个更": re.compile(
        rf"{_PART}(?:{_AND}|还是){_PART}+?(?:哪个|哪种|哪一个)|还是{_PART}{{1,10}}(?:好|快|划算|便宜|合适|方便|省钱?)[?？]?$"
    ),
    "另外": re.compile(
        rf"{_ASKS}{_PART}*[，,；;。]\s*(?:另外|还有|顺便|同时|此外){_PART}{{2,}}|除了{_PART}+[，,]还(?:想|要|得|需要)"
    ),
    "列举": re.compile(rf"^(?:请|麻烦)?(?:讲|说|介绍|列|谈)(?:讲|说|谈|出|明|一下|下)*{_PART}+、{_PART}+{_AND}{_PART}"),
    "english": re.compile(
        r"^(?:please )?compare\b.+\b(?:and|with|to)\b|\bdifferences? between\b.+\band\b|"
        r"\b(?:how|what|where|when|who|which)\b.+\band (?:how|what|where|when|who|which)\b",
        re.IGNORECASE,
    ),
}
LONGEST = 200
"""Characters that are looked at: what is longer is no question, and a form takes time with the square of its length."""


def first_object(text: str) -> dict[str, Any] | None:
    """Take the first whole JSON object out of a reply: out of fences, lead-ins, afterthoughts, lists.

    Args:
        text: a model's reply; braces may stand in the talk around the object, and inside its strings.

    Returns:
        The object, or None when there is no whole one. Never raises.
    """
    decoder = json.JSONDecoder(strict=False)
    for found in re.finditer(r"\{", text):
        try:
            value, _ = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        if value:
            return value
    return None


async def understand(
    client: Any, history: Sequence[Turn], question: str, documents: Sequence[str] = ()
) -> Understanding:
    """Find out everything about a question with one call.

    Args:
        client: has ``await client.messages.create(...)``.
        history: earlier turns, oldest first; may be empty.
        question: the last user message, as typed.
        documents: titles of documents in view; they go into the prompt as data.

    Returns:
        Ten legal fields. A reply that is fenced, cut off, or talks around the object is read as far as it goes;
        an illegal value becomes its default; every repair stands in ``salvaged``. Nothing readable: the fallback.

    Raises:
        querylab.models.reply.ModelError: when the call itself fails; the pipeline then takes the careful path.

    Source: lesson 08.
    """
    message = await client.messages.create(**prompts.understand(history, question, documents))
    return Understanding.of(fields_of(text_of(message), first_object), question)


def raise_complexity(question: str, understanding: Understanding) -> Understanding:
    """Lift SIMPLE to MEDIUM when the form of the sentence shows several things to be found.

    Args:
        question: as typed.
        understanding: what the model said.

    Returns:
        The understanding with ``complexity`` at least MEDIUM when 「分别讲…」, 「甲、乙各要多久」, 「对比甲和乙」,
        「甲和乙的区别」, 以及 with something asked before and after it, "vs" between two things, or two questions, each
        with its mark (「？？」 is one), stand there; else unchanged. Only ever up, never down, no other field touched. A
        sentence form, not a word: 「什么是对比学习」, 「和平区怎么走」 and 「以及路站怎么走」 stay SIMPLE.
    """
    # A title, a quotation: what stands inside is a name, and no form of this sentence.
    text = re.sub(r"《[^》]*》|“[^”]*”|「[^」]*」", "某", question[:LONGEST])
    names = [name for name, form in FORMS.items() if form.search(text)]
    if sum(bool(re.search(r"\w", part)) for part in re.split(r"[?？]", text)[:-1]) > 1:
        names.append("两个问号")
    return understanding.at_least("MEDIUM", *names) if names else understanding
