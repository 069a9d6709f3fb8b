"""The offline model: deterministic rules of language, one small file per task.

In: the text of a question (and history or passages). Out: text, by rules of Chinese and English sentence
form that know no corpus. They prove the code path; they say nothing about what a real model would write.

    language   the lexicons            phrases    a sentence cut into typed units, topics, people
    rewrite    rewrite (Chinese)       english    rewrite (English)
    expand     hypothetical_passage, variants, step_back
    intent     intent                  bridge     bridge
    answer     answer, direct_reply
"""

from querylab.models.rules.answer import answer, direct_reply
from querylab.models.rules.bridge import bridge
from querylab.models.rules.expand import hypothetical_passage, step_back, variants
from querylab.models.rules.intent import intent
from querylab.models.rules.rewrite import rewrite

__all__ = [
    "answer",
    "bridge",
    "direct_reply",
    "hypothetical_passage",
    "intent",
    "rewrite",
    "step_back",
    "variants",
]
