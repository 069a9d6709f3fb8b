"""The Chinese words for the names that the code uses: one place, so that table and picture agree."""

from collections.abc import Mapping

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
    "answer": "写答案",
    "reply": "直接回答",
    "search": "检索",
    "other": "其他调用",
}

USED = {
    "the question as typed": "改用原问题",
    "a search": "改为检索",
    "no answer": "没有答案",
    "no answer; the passages stand in the context": "没有写出答案，段落仍在上下文里",
}

REASON = {
    "it returned no text": "没有返回文字",
    "the reply holds no text": "回复里没有文字",
    "the reply holds no usable line": "回复里没有能用的一行",
    "the model refused": "模型拒绝回答",
    "the reply was cut off (max_tokens)": "回复被截断（到了 max_tokens）",
}

NOTE = {
    "direct reply with figures or without text: searched after all": ("直接回答里有数字，或者没有文字：改为检索后再答"),
    "nothing through the gate on the single-hop path: tried a second hop": "单跳这条路没有一块过门槛：再走一跳试试",
}

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


def word(table: Mapping[str, str], key: str) -> str:
    """Look a name up; a name without a Chinese word stands for itself."""
    return table.get(key, key)


def config(name: str) -> str:
    """Name a configuration in Chinese, or leave the name that a person gave it."""
    return CONFIG.get(name, name)
