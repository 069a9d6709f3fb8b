"""Right: braces counted by hand, strings minded; a failed reply answered with the fallback; a chain of forms."""

import json
import re

from querylab import Understanding, fields_of, prompts, text_of
from querylab.models.reply import ModelError


def first_object(text):
    for start, character in enumerate(text):
        if character != "{":
            continue
        depth, inside, escaped = 0, False, False
        for end in range(start, len(text)):
            letter = text[end]
            if inside:
                inside = escaped or letter != '"'
                escaped = letter == "\\" and not escaped
            elif letter == '"':
                inside = True
            elif letter == "{":
                depth += 1
            elif letter == "}":
                depth -= 1
                if depth == 0:
                    try:
                        found = json.loads(text[start : end + 1])
                    except ValueError:
                        break
                    if found:
                        return found
                    break
    return None


async def understand(client, history, question, documents=()):
    try:
        message = await client.messages.create(**prompts.understand(history, question, documents))
    except ModelError:
        return Understanding.fallback(question)
    return Understanding.of(fields_of(text_of(message), first_object), question)


def raise_complexity(question, understanding):
    several = (
        re.search(r"(?:对比|比较)[^，？]*[和与跟]", question)
        or re.search(r"[和与跟].*(?:区别|差别|不同)", question)
        or question.startswith("分别讲")
        or re.search(r"..以及.*[怎如多哪几什]", question)
        or re.search(r"[\u4e00-\u9fff]\s+vs\s", question, re.IGNORECASE)
        or len([part for part in re.split(r"[？?]", question)[:-1] if part.strip()]) > 1
    )
    return understanding.at_least("MEDIUM", "句式") if several else understanding
