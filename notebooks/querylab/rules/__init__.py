"""The offline model: deterministic rules of language, one small file per task.

In: the text of a question (and history or passages). Out: text, by rules of Chinese and English sentence
form that know no corpus. They prove the code path; they say nothing about what a real model would write.

    language   the lexicons            phrases    a sentence cut into typed units, topics
    named      what a text names       names      personal names
    mentions   noun phrases, governors  salience   which thing a reference means
    references and antecedents         ellipsis, omitted, padding: the other steps of rewriting
    rewrite    rewrite (Chinese)       english    rewrite (English)
    expand     hypothetical_passage, variants, step_back
    intent     intent                  bridge     bridge
    answer     answer, direct_reply
    understanding   understanding, in ten fields    agent   next_searches
    sub_questions   sub_questions, short_answer
"""

from querylab.rules.agent import next_searches
from querylab.rules.answer import answer, direct_reply
from querylab.rules.bridge import bridge
from querylab.rules.expand import hypothetical_passage, step_back, variants
from querylab.rules.intent import intent
from querylab.rules.rewrite import rewrite
from querylab.rules.sub_questions import short_answer, sub_questions
from querylab.rules.understanding import understanding

__all__ = [
    "answer",
    "bridge",
    "direct_reply",
    "hypothetical_passage",
    "intent",
    "next_searches",
    "rewrite",
    "short_answer",
    "step_back",
    "sub_questions",
    "understanding",
    "variants",
]
