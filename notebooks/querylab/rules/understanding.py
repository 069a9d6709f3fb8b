"""Understanding by rule: what a small model would say about one question, in ten fields.

In: the conversation and the question. Out: a mapping with the ten fields. Each field is decided by forms
of language; the complexity by comparing words and by counting asking clauses between marks, so that several
focuses inside one clause (「甲、乙各要几个」) are missed, as a small model misses many of them.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from querylab.prompts.schema import Complexity, Kind, Scope, Specificity
from querylab.rules import asking, named, padding, phrases, talk
from querylab.rules import language as lang
from querylab.rules.intent import is_multi_hop
from querylab.rules.rewrite import rewrite
from querylab.types import Turn
from querylab.understanding import lexicon
from querylab.understanding.documents import exact_terms

_ASKS = re.compile(
    r"[?？吗呢]|谁|哪|什么|啥|怎|咋|如何|多少|多久|多长|几|何|是否|能否|可否|能不能|可不可以|"
    r"要不要|有没有|是不是|"
    r"\b(?:what|who|where|when|which|why|how)\b",
    re.IGNORECASE,
)
_CONVERSATION = re.compile(
    r"(?:总结|概括|归纳|回顾|小结|梳理|复述)[^，,。]{0,10}(?:对话|聊天|谈话|讨论|聊的|说的|"
    r"问的|问过|上面|刚才|之前)"
    r"|(?:对话|聊天记录|刚才|上面|之前)[^，,。]{0,8}(?:总结|概括|归纳|回顾|小结|梳理|复述)"
    r"|(?:我|我们|咱们|你)(?:刚才|刚刚|之前|前面|上一句|上一个问题|一开始)[^，,。]{0,4}(?:问|"
    r"说|聊|讲|回答)[^，,。]{0,4}(?:什么|啥|哪)"
    r"|\b(?:summari[sz]e|recap)\b.*\b(?:conversation|chat|so far|above)\b",
    re.IGNORECASE,
)
_COLLECTION = re.compile(
    r"(?:有|收录|包含|能查|可以查)[^，,。]{0,4}(?:哪些|什么|多少|几)[^，,。]{0,3}(?:知识库|"
    r"文档|资料|文件|手册)(?=$|[？?呢啊呀]|可|能)"
    r"|(?:知识库|资料库|文档库)[^，,。]{0,6}(?:有|收录|包含)[^，,。]{0,3}(?:哪些|什么|多少|"
    r"几)"
    r"|(?:列出|列一下|列举)[^，,。]{0,6}(?:文档|资料|文件|知识库)|(?:文档|资料|文件)(?:清单|"
    r"列表|目录)"
    r"|\bwhat (?:documents|files)\b",
    re.IGNORECASE,
)
# The wide world: matters that the papers of an organisation do not treat.
_WORLD = re.compile(
    r"(?:今天|明天|后天|周末|现在|外面|这几天)[^，,。]{0,6}(?:天气|气温|下雨|下雪|空气质量)|"
    r"天气预报"
    r"|股票|股价|大盘|基金净值|比特币|彩票|中奖号码|汇率|油价|房价走势"
    r"|(?:写|作|编|来|背)(?:一)?(?:首|篇|段|个)?[^，,。]{0,6}(?:诗|散文|小说|歌词|作文|情书|"
    r"剧本|对联)"
    r"|(?:写|编)(?:一)?(?:段|个)?[^，,。]{0,8}(?:代码|脚本|程序|函数)|(?:python|java|"
    r"javascript|c\+\+|sql)[^，,。]{0,8}(?:怎么写|代码)"
    r"|翻译(?:成|一下|这)|(?:菜谱|怎么做(?:才)?好吃|红烧|清蒸|炖)|食谱"
    r"|(?:世界杯|欧冠|奥运会|联赛|电影|电视剧|综艺|明星|歌手|演员|小说推荐|"
    r"推荐[^，,。]{0,4}(?:电影|小说|餐厅|景点|歌))"
    r"|首都(?:是|在)|总统是谁|朝代|皇帝|星座|运势|算命|宇宙|黑洞|恐龙|光年|相对论|勾股定理|"
    r"方程"
    r"|\b(?:weather|stock price|bitcoin|recipe|poem|world cup|capital of)\b",
    re.IGNORECASE,
)
_DOING = (
    "订 预订 预约 预定 提交 申请 发送 发 寄 取消 修改 改 改成 删除 删掉 删 关闭 关掉 开通 "
    "打开 重启 审批 批准 转发 转 付 下单 "
    "买 打印 安排 通知 提醒 创建 新建 建 上传 重置 报名 登记 填 填写 拉 邀请 添加 导出 下载 "
    "备份 签 盖章 打电话 约 换 请"
)
_TASK = re.compile(
    rf"^(?:你好|您好)?[，,]?(?:请|麻烦|劳驾)?(?:你|您)?(?:帮我|帮忙|替我|给我|代我|"
    rf"为我)(?:把)?[^，,。？?]{{0,16}}?(?:{lang.alternatives(_DOING)})"
    rf"|^(?:请|麻烦|劳驾)?(?:你|您)?把[^，,。？?]{{1,20}}(?:{lang.alternatives(_DOING)})"
    rf"|^(?:请|麻烦)?(?:给|向)[^，,。？?]{{1,10}}(?:发|打|寄)(?:一)?(?:封|个|条|份)|"
    rf"^(?:{lang.alternatives('提醒我 通知 预订 预约 取消我')})"
    r"|^(?:please )?(?:book|send|cancel|delete|submit|reset|order|schedule)\b",
    re.IGNORECASE,
)
_LOOKING = re.compile(
    r"^(?:请|麻烦)?(?:你|您)?(?:帮我|帮忙|给我|替我)?(?:查|看|找|搜|问|了解|解释|说明|讲|介绍|"
    r"列)"
)

_COMPARES = re.compile(
    r"区别|不同|差别|差异|对比|比较|相比|哪个更|哪种更|\bvs\b|\bdifference\b|\bcompare\b", re.IGNORECASE
)
_OPINION = re.compile(
    r"你(?:觉得|认为|怎么看)|合理吗|合不合理|值得吗|值不值|好不好|有必要吗|靠谱吗|划算吗|\bdo "
    r"you think\b",
    re.IGNORECASE,
)
_SPOKEN = re.compile(
    r"咋|啥|这东西|那东西|这玩意|那玩意|玩意儿?|怎么回事|什么情况|搞不定|弄不了|不好使|不好用|"
    r"用不了|卡死|崩了|挂了|坏了|丢了|弄丢|"
    r"老婆|老公|媳妇|娃|宝宝|老板|走人|不干了|炒鱿鱼|打的|攒|没及格|作废|碰上|倒霉|好慢|"
    r"这么慢|太慢|有点怪|不对劲|乱七八糟|那个什么"
)
_NOW = re.compile(
    r"今天|今年|现在|目前|当前|最新|最近|本月|这个月|本周|这周|明天|明年|下个?月|下周|还剩|"
    r"还有几天|\b(?:today|now|latest|current)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(
    rf"^(?:那|那么)?(?:{lang.alternatives(lang.PERSON_PRONOUNS + ' ' + lang.THING_PRONOUNS)}|"
    rf"这(?!样的)|那(?!么)|前者|后者|上面|上述|刚才)"
)
_SELF = re.compile(
    r"(?:^|[，,。；;！!])\s*(我(?:是|叫|在|负责|来自)[^，,。；;？?！!谁哪什几多怎]{2,30})(?=$|"
    r"[，,。；;！!])"
)


def understanding(history: Sequence[Turn], question: str) -> dict[str, Any]:
    """Fill the ten fields for one question.

    Rule: the rewriting by :func:`rewrite`; the rest by the forms above, on the rewritten question.
    Limits: a matter of the wide world that no form names is searched; a wish without 帮我/把 counts as a question.
    Example: 「月票能退吗」 → factoid, SIMPLE, KNOWLEDGE_QUERY.
    """
    rewritten = rewrite(history, question)
    text = unicodedata.normalize("NFKC", rewritten).strip()
    scope, confidence = _scope(unicodedata.normalize("NFKC", question).strip(), text)
    alone = rewrite([], question)
    return {
        "rewritten": rewritten,
        "intent": _kind(text, scope),
        "complexity": _complexity(text),
        "specificity": _specificity(text),
        "time_aware": bool(_NOW.search(text)),
        "memory_aware": bool(history) and rewritten != alone,
        "is_ambiguous": scope == "KNOWLEDGE_QUERY" and _is_ambiguous(text),
        "memory_write_hints": [f"用户说：{found}" for found in _SELF.findall(question)][:3],
        "scope": scope,
        "scope_confidence": confidence,
    }


def _scope(typed: str, text: str) -> tuple[Scope, float]:
    if talk.is_talk(typed.casefold()) or not any(character.isalnum() for character in typed):
        return "CHITCHAT", 0.95
    parts = [part for part in lexicon.clauses(typed) if not lexicon.COURTESY.fullmatch(part)]
    if parts and all(lexicon.IDENTITY.fullmatch(part) for part in parts) and not _ASKS.search(typed):
        return "CHITCHAT", 0.8
    if _CONVERSATION.search(typed):
        return "META_CONVERSATION", 0.9
    if _COLLECTION.search(typed):
        return "KB_META", 0.9
    if _TASK.search(typed) and not _LOOKING.search(typed) and not _ASKS.search(typed):
        return "TASK_EXECUTION", 0.85
    if _WORLD.search(text):
        return "OUT_OF_SCOPE", 0.85
    return "KNOWLEDGE_QUERY", 0.9 if phrases.has_topic(text) or lang.is_english(text) else 0.6


def _kind(text: str, scope: Scope) -> Kind:
    if scope == "CHITCHAT":
        return "chitchat"
    if _COMPARES.search(text):
        return "comparison"
    if _OPINION.search(text):
        return "opinion"
    kinds = {asking.asked(clause).kind for clause in asking.asking_clauses(text) or [text]}
    return "procedural" if kinds & {"procedure", "handling"} else "factoid"


def _complexity(text: str) -> Complexity:
    """Two hops by form: COMPLEX; two named things compared, or more than one asking clause: MEDIUM; else SIMPLE."""
    if is_multi_hop(text.casefold()):
        return "COMPLEX"
    if _COMPARES.search(text) and named.pair(text):
        return "MEDIUM"
    asks = [clause for clause in asking.clauses(text) if asking.asked(clause).kind != "other"]
    return "MEDIUM" if len(asks) > 1 else "SIMPLE"


def _specificity(text: str) -> Specificity:
    if exact_terms(text):
        return "PRECISE"
    return "FUZZY" if _SPOKEN.search(text) else "NORMAL"


def _is_ambiguous(text: str) -> bool:
    """Say whether a question still points at something it does not name, or names nothing at all."""
    if lang.is_english(text):
        return bool(re.match(r"(?:and\s+)?(?:it|that|this|they|he|she|those)\b", text, re.IGNORECASE))
    plain = padding.without_padding(text)
    return bool(_POINTS.match(plain)) or not phrases.has_topic(plain)
