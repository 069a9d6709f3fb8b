"""The stand-in for the language model: deterministic rules of language, one small file per task.

In: the text of a question (and history or passages). Out: text, by rules of Chinese and English sentence form and by
labelled examples; they know no corpus. They prove the code path; they say nothing about what a real model would write.

    words      clauses, what a clause asks     mentions   what a text names
    rewrite    rewrite, by reference (他, 这份细则), ellipsis (那客梯呢) and english
    intent     intent, intent_with_examples: by the nearest sentences of examples.txt, and the form of chains
    expand     hypothetical_passage, variants, step_back
    answer     answer, direct_reply            bridge     bridge, short_answer
    sub_questions, agent (next_searches), understanding (ten fields)
    client     MockClient, which calls them behind the interface of the Messages API (api)
    careless   CarelessClient, a caricature for notebook 04, which does only what a prompt demands (duties reads the prompt)
"""

from querylab.rules.agent import next_searches
from querylab.rules.answer import answer, direct_reply
from querylab.rules.bridge import bridge, short_answer
from querylab.rules.expand import hypothetical_passage, step_back, variants
from querylab.rules.intent import intent, intent_with_examples
from querylab.rules.rewrite import rewrite
from querylab.rules.sub_questions import sub_questions
from querylab.rules.understanding import understanding

__all__ = [
    "answer", "bridge", "direct_reply", "hypothetical_passage", "intent", "intent_with_examples", "next_searches",
    "rewrite", "short_answer", "step_back", "sub_questions", "understanding", "variants",
]  # fmt: skip
