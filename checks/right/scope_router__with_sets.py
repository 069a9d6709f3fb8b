"""Right: fixed sets for courtesy, own forms for the rest, and the conditions of a path in another order."""

import re

from querylab import lexicon


def tier0(question, history):
    plain = re.sub(r"[\W_]+", "", question.casefold())
    if plain in lexicon.GREETINGS or plain in ("好的谢谢", "hello"):
        return "CHITCHAT"
    if re.fullmatch(r"(?:大家好)?我(?:是新来的\w{2,6}经理|叫\w{2,3})", plain) and not re.search(r"[?？]", question):
        return "CHITCHAT"
    if re.fullmatch(r"总结(?:上面|刚才)的对话|我刚才问了什么", plain):
        return "META_CONVERSATION"
    return "KB_META" if re.fullmatch(r"有哪些知识库|列出所有文档", plain) else None


def choose_path(understanding, named):
    sure = understanding.scope_confidence >= 0.6
    if sure and understanding.scope != "KNOWLEDGE_QUERY":
        return "answer"
    easy = understanding.complexity == "SIMPLE" and not understanding.is_ambiguous
    return "read" if len(named) == 1 else "search" if easy else "agent"
