"""Wrong: a word is enough, so that 「什么是对比学习」 has two focuses."""


def raise_complexity(question, understanding):
    words = ("分别", "对比", "区别", "以及", "vs", "比较")
    hit = any(word in question.lower() for word in words) or question.count("？") > 1
    return understanding.at_least("MEDIUM", "词") if hit else understanding
