"""Wrong: what is short is talk."""


def tier0(question, history):
    if question in ("总结上面的对话", "我刚才问了什么"):
        return "META_CONVERSATION"
    if question in ("有哪些知识库", "列出所有文档"):
        return "KB_META"
    return "CHITCHAT" if len(question.strip()) <= 8 or question.startswith(("我是", "大家好")) else None
