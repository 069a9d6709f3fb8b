"""The Chinese words for the names that the code uses: one place, so that table and picture agree."""

import re
from collections.abc import Mapping

from querylab import settings

INTENT: dict[str | None, str] = {
    None: "没有路由",
    "direct": "直接回答",
    "single-hop": "单跳",
    "multi-hop": "多跳",
}

TIER = {"single": "单跳", "multi": "多跳", "direct": "闲聊", "unanswerable": "资料里没有"}

PLACE = {"pool": "丢在候选池", "gate": "丢在门槛", "budget": "丢在预算", "context": "到达上下文"}
PLACE_WHY = {
    "pool": "没有一次检索找到它",
    "gate": "找到了，两路原始分都不够",
    "budget": "过了门槛，上下文装不下",
    "context": "",
}

STEP = {
    "rewrite": "查询改写",
    "rewrite_query": "查询改写",
    "hyde": "假设文档",
    "hyde_queries": "假设文档",
    "multi_query": "多路查询",
    "query_variants": "多路查询",
    "multi-query search": "多路检索与融合",
    "step_back": "后退提问",
    "step_back_queries": "后退提问",
    "classify": "意图路由",
    "route": "意图路由",
    "bridge": "桥接查询",
    "understand": "查询理解",
    "understand_intent": "理解：意图",
    "understand_complexity": "理解：复杂度",
    "understand_specificity": "理解：具体程度",
    "understand_scope": "理解：范围",
    "agent": "智能体循环",
    "sub_questions": "子问题拆分",
    "short_answer": "子问题作答",
    "guard": "漂移守卫",
    "parts": "子问题",
    "answer": "写答案",
    "reply": "直接回答",
    "search": "检索",
    "other": "其他调用",
}

USED = {
    "the question as typed": "改用原问题",
    "a search": "改为检索",
    "the question alone": "只用原问题",
    "the question itself": "改搜问题本身",
    "the other searches": "用其余的检索",
    "the other parts": "用其余的子问题",
    "the careful path": "走谨慎的路",
    "what had been found so far": "用已经找到的",
    "no answer": "没有答案",
    "no answer; the passages stand in the context": "没有写出答案，片段仍在上下文里",
}

REASON = {
    "nothing in the reply could be read": "回复里没有一处能读懂",
    "it returned no text": "没有返回文字",
    "the reply holds no text": "回复里没有文字",
    "the reply holds no usable line": "回复里没有能用的一行",
    "the model refused": "模型拒绝回答",
    "the reply was cut off (max_tokens)": "回复被截断（到了 max_tokens）",
}

NOTE = {
    "direct reply with figures or without text: searched after all": ("直接回答里有数字，或者没有文字：改为检索后再答"),
    "nothing through the gate on the single-hop path: tried a second hop": "单跳这条路没有一个片段过门槛：再走一跳试试",
    "guard: slight drift, the question is searched too:": "漂移守卫：轻微漂移，原问题也一起搜：",
    "the agentic loop met its limit on rounds": "智能体循环到了轮数上限",
    "the agentic loop met its limit on tokens": "智能体循环到了 token 上限",
    "larger than the budget, cut to fit:": "比整个预算还大，截短后放进上下文：",
    "larger than the budget, left out:": "比整个预算还大，放不进去：",
}

PATH = {
    "answer": "不检索，直接回答",
    "read": "直接读点名的文档",
    "search": "一次计划好的检索",
    "agent": "智能体循环：自己决定搜什么，直到够用",
}

FIELD = {
    "SIMPLE": "简单",
    "MEDIUM": "中等",
    "COMPLEX": "复杂",
    "FUZZY": "模糊",
    "NORMAL": "一般",
    "PRECISE": "精确",
    "factoid": "问事实",
    "procedural": "问怎么办",
    "comparison": "比较",
    "opinion": "问看法",
    "chitchat": "闲聊",
    "KNOWLEDGE_QUERY": "查知识",
    "CHITCHAT": "闲聊",
    "META_CONVERSATION": "问这段对话",
    "KB_META": "问知识库本身",
    "OUT_OF_SCOPE": "范围之外",
    "TASK_EXECUTION": "要求办事",
}

ORIGIN = {"merged": "一次调用", "separate": "分开调用", "tier0": "规则（零级），没有调用", "fallback": "读不懂，用默认"}

CONFIG = {
    "baseline": "基线",
    "rewrite (always)": "查询改写（总是）",
    "rewrite (when needed)": "查询改写（需要时）",
    "HyDE": "假设文档",
    "multi-query": "多路查询",
    "step-back": "后退提问",
    "router": "意图路由",
    "router + multi-hop budget": "意图路由＋多跳预算",
    "everything on": "全部打开",
    "your default": "你的默认配置",
    "sub-questions": "子问题拆分",
    "sub-questions + multi-hop budget": "子问题拆分＋多跳预算",
    "sub-questions + multi-query": "子问题拆分＋多路查询",
    "rewrite + guard": "查询改写＋漂移守卫",
    "multi-query + guard": "多路查询＋漂移守卫",
    "one call + guard": "一次理解＋漂移守卫",
    "rewrite, 30 characters": "查询改写，限 30 字",
    "rewrite, raw beside it": "查询改写，原话并行",
    "three rewrites in turn": "三种改写，依次",
    "three rewrites at once": "三种改写，并行",
    "three rewrites at once + guard": "三种改写，并行＋守卫",
    "everything heavier": "重型全部打开",
    "drifting rewriter": "故意跑题的改写器",
    "drifting rewriter + guard": "故意跑题的改写器＋守卫",
    "five calls": "分五次理解",
    "one call": "一次理解",
    "one call + tier 0": "一次理解＋零级规则",
    "one call + signals": "一次理解＋句式信号",
    "one call + tier 0 + signals": "一次理解＋规则＋信号",
    "one call + HyDE when fuzzy": "一次理解＋规则＋信号＋模糊才用 HyDE",
    "gate open": "基线，门槛打开",
    "HyDE, gate open": "假设文档，门槛打开",
    "multi-query, gate open": "多路查询，门槛打开",
    "step-back, gate open": "后退提问，门槛打开",
    "HyDE as published": "假设文档，照论文（草稿代替问题，向量一路）",
    "HyDE beside, vector route": "假设文档，并列，只走向量一路",
    "HyDE beside, both routes": "假设文档，并列，两路都走",
    "baseline, multi-hop budget": "基线，多跳预算",
    "router + budget, no safety net": "意图路由＋多跳预算，不要保险",
}

COLUMN = {
    "recall_single_hop": "单跳召回",
    "recall_multi_hop": "多跳召回",
    "ndcg_at_10": "nDCG@10",
    "mrr": "MRR",
    "refused_rightly": "该拒而拒",
    "refused_wrongly": "误拒",
    "model_calls": "模型调用",
    "retrievals": "检索",
    "context_tokens": "上下文 token",
    "output_tokens": "输出 token",
    "cost_per_1000_usd": "每千题费用",
    "latency_p50_s": "延迟 p50",
}

UNIT = {
    "model_calls": "次，合计",
    "retrievals": "次，合计",
    "context_tokens": "每题",
    "output_tokens": "每题",
    "cost_per_1000_usd": "美元",
    "latency_p50_s": "秒",
}

MOCK = (
    "离线（MOCK）：凡是模型写的字都出自语言规则，用时按设定推算。"
    "检索分数是实测的；与模型有关的数只证明代码通路，不代表模型的水平。"
)
LIVE = "真实模型或录音：调用、token、费用、用时都是实测。"
ELSEWHERE = "答复来自 ANTHROPIC_BASE_URL 指定的服务器（{}），不一定是真实模型；调用、token、费用、用时都是实测。"


LEVEL = {"memory": "内存", "disk": "磁盘", "meaning": "意思相近的一问"}
_CACHED = re.compile(r"cache: (?P<task>\w+) from (?P<level>\w+)(?:, asked as (?P<asked>.+))?")
_LATE = re.compile(r"it took longer than ([\d.]+) s")


def word(table: Mapping[str, str], key: str) -> str:
    """Look a name up; a name without a Chinese word stands for itself."""
    return table.get(key, key)


def note(words: str) -> str:
    """Put a remark of the pipeline into Chinese; one that names a text keeps the text."""
    cached = _CACHED.fullmatch(words)
    if cached:
        asked = f"，当时问的是{cached['asked']}" if cached["asked"] else ""
        return f"缓存：{word(STEP, cached['task'])}取自{word(LEVEL, cached['level'])}{asked}"
    known = next((start for start in NOTE if words.startswith(start)), None)
    return words if known is None else NOTE[known] + words[len(known) :]


def reason(words: str) -> str:
    """Put the reason of a fallback into Chinese, as far as it has words for it."""
    late = _LATE.fullmatch(words)
    return f"超过了 {late[1]} 秒" if late else word(REASON, words)


def measured() -> str:
    """Say where the figures of a run that was no mock come from."""
    return LIVE if settings.server() == settings.OFFICIAL_SERVER else ELSEWHERE.format(settings.server())


def config(name: str) -> str:
    """Name a configuration in Chinese, or leave the name that a person gave it."""
    return CONFIG.get(name, name)
