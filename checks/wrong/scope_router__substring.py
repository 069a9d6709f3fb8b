"""Wrong: a courtesy anywhere in the sentence makes it talk."""


def tier0(question, history):
    for scope, words in (
        ("META_CONVERSATION", ("总结", "刚才问")),
        ("KB_META", ("有哪些知识库", "列出所有文档")),
        ("CHITCHAT", ("你好", "谢谢", "好的", "在吗", "hello", "我是", "我叫")),
    ):
        if any(word in question.lower() for word in words):
            return scope
    return None
