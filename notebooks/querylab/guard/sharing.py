"""Two questions near in meaning: are they the same question in other words?

In: a question. Out: its wording, in which padding and the choice of question word no longer show, and everything else
does. Whoever may share a rewrite has the same wording; nearness alone does not see who does what to whom.
"""

import re

from querylab.guard import figures
from querylab.guard.terms import LONGEST
from querylab.language import is_english, tagged
from querylab.text import normalise

_PADDING = re.compile(r"请问|麻烦问下|我?想问(?:一下|问|下)?|一下|是|由|的|了|呢|啊|呀|吧|\W")
_FOLDED = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        ("如何|怎样|咋", "怎么"),
        ("何时|啥时候", "什么时候"),
        ("哪位", "谁"),
        ("啥", "什么"),
        (r"([\u4e00-\u9fff])不\1([\u4e00-\u9fff]?)(.*)$", r"\1\2\3吗"),
        ("(?:是|能|可)否(.*)$", r"能\1吗"),
    )
)


def wording(text: str) -> tuple[str, ...]:
    """A question's words in order, without padding and with its question words in one form.

    Who does what to whom is told by order and by 我, 公司 and 被, so these stay: 「我投诉公司找谁」 and
    「公司投诉我找谁」 differ. Figures stand in their one form: 「借三天」 and 「借 3 天」 are the same.
    """
    plain = normalise(text[:LONGEST])
    if is_english(text):
        return tuple(word for word in re.findall(r"[\w'+#-]+", plain) if word not in ("a", "an", "the", "please"))
    for pattern, word in _FOLDED:
        plain = pattern.sub(word, plain)
    counted, rest = figures.read(plain)
    return (*(form for form, _ in counted), *(word for word, _ in tagged(_PADDING.sub("", rest))))
