"""Wrong: a sentence that begins with a greeting is one, whatever follows."""

from querylab import lexicon


def tier0(question, history):
    plain = lexicon.squeezed(question).rstrip("?")
    if lexicon.COURTESY.match(plain) or plain.startswith(("我是新来", "大家好")):
        return "CHITCHAT"
    if lexicon.META_CONVERSATION.match(plain):
        return "META_CONVERSATION"
    return "KB_META" if lexicon.KB_META.match(plain) else None
