"""The words of tier 0: what can be decided by looking, in microseconds, without a call.

Precision before recall: a form that could also open a real question does not stand here. Chinese and
English forms of everyday speech; nothing comes from a corpus.
"""

import re
import unicodedata

_GREETINGS = (
    "你好 您好 你好呀 您好呀 你好啊 您好啊 嗨 嘿 哈喽 哈啰 哈罗 早 早上好 上午好 中午好 下午好 晚上好 "
    "早安 午安 晚安 大家好 在吗 在不在 在么 有人吗 谢谢 谢谢你 谢谢您 谢谢啦 谢了 多谢 多谢了 感谢 "
    "非常感谢 辛苦了 辛苦啦 再见 拜拜 回见 明天见 下次聊 好的 好的谢谢 好的明白 明白了 知道了 收到 "
    "了解了 清楚了 懂了 嗯 嗯嗯 哦 哦哦 好 好吧 好嘞 行 行吧 可以 没事了 没问题 不用了 哈哈 哈哈哈 "
    "厉害 真棒 太棒了 不客气 没关系 对不起 抱歉 "
    "hi hello hey thanks thankyou thx ok okay bye goodbye goodmorning 3q 88"
)
GREETINGS = frozenset(_GREETINGS.split())
"""Whole utterances of courtesy, without marks and blanks."""

COURTESY = re.compile(rf"(?:{'|'.join(sorted(map(re.escape, GREETINGS), key=len, reverse=True))})+")
"""Several of them in a row (好的谢谢再见)."""

_NAMED_SELF = r"(?:我|本人)(?:的名字)?(?:叫|名叫)[^\s了的]{1,6}|(?:叫|喊)我[^\s]{1,6}?(?:就行|就好|吧|即可)?"
_ROLE = (
    r"(?:师|员|经理|主管|总监|组长|店长|班长|主任|助理|秘书|实习生|新人|新来的|新同事|同事|同学|老师|学生|开发|运营|测试|会计|出纳|"
    r"护士|医生|教练|顾问)"
)
_HOME = r"(?:组|部|部门|团队|店|分店|公司|分公司|中心|科|处|室)"
IDENTITY = re.compile(
    rf"{_NAMED_SELF}|(?:我)?是[^\s]{{0,14}}{_ROLE}|(?:我)?(?:目前|现在)?(?:在|来自)[^\s]{{1,10}}{_HOME}(?:工作|上班)?"
    r"|我(?:今天|昨天|上周|刚|刚刚|才)+(?:入职|报到|加入|调到|调来|来)[^\s]{0,8}"
    r"|i(?:'m| am) (?:the |a |an )?(?:new )?[a-z ]{2,20}|my name is [a-z ]{2,20}|call me [a-z ]{2,12}"
)
"""One clause in which a person says who they are, from end to end: 「我是孕妇能坐索道」 is none."""

ASKS = re.compile(
    r"[?？]|吗|呢|么|谁|哪|什么|啥|怎|咋|如何|多少|多久|多长|几|何|是否|能否|可否|能不能|可不可以|要不要|有没有|是不是|会不会|"
    r"该不该|用不用|想问|想知道|想了解|想查|请问|请教|咨询|告诉我|帮我|查|问一下|需要|应该|可以|能|标准|流程|规定|制度|"
    r"\b(?:what|who|where|when|which|why|how|can|could|may|is|are|do|does|should|need|want|tell|help)\b",
    re.IGNORECASE,
)
"""Anything that may be a question or a wish. One of these, and tier 0 keeps its hands off."""

_TALK = (
    r"(?:对话|聊天(?:记录|内容)?|谈话|交流|讨论|问答|问题|内容|"
    r"(?:说|聊|谈|问|讲|讨论)(?:过)?的(?:内容|话|东西|事情|问题)?)"
)
_BEFORE = r"(?:上面|上述|前面|刚才|刚刚|之前|以上|到目前为止|至今|这次|本次|今天|我们|咱们|你我)"
META_CONVERSATION = re.compile(
    rf"^(?:请|麻烦|帮我|你|能不能|可以)*(?:总结|概括|归纳|回顾|小结|梳理|复述|汇总)(?:一下|下)?(?:{_BEFORE}|的|和你|跟你)*"
    rf"{_TALK}(?:吧|吗|好吗|一下|呗)?$"
    rf"|^(?:请|麻烦)?把?(?:{_BEFORE}|的|和你|跟你)+{_TALK}(?:都)?(?:总结|概括|归纳|回顾|小结|梳理|复述|汇总)(?:一下|下|一遍)?(?:吧|吗|好吗|呗)?$"
    rf"|^(?:我|我们|咱们)(?:刚才|刚刚|之前|前面|上面|上一句|上一个问题|刚)+(?:都)?(?:问|说|聊|讲|谈)(?:了|过|的)*(?:你)?(?:是)?(?:些)?(?:什么|啥|哪些|哪些问题|什么问题)(?:来着)?$"
    rf"|^(?:你)?(?:刚才|刚刚|上一句|前面|之前)+(?:说|讲|回答|答)(?:了|过|的)*(?:是)?(?:些)?(?:什么|啥)(?:来着)?$"
    r"|^(?:summari[sz]e|recap)(?:ourconversation|theconversation|thisconversation|ourchat|whatwesaid|theabove)(?:sofar)?$"
    r"|^what(?:did(?:i|we)(?:just)?(?:ask|say|discuss)(?:sofar)?)$"
)
_STOCK = r"(?:知识库|资料库|文档库|文档|资料|文件|制度文件|手册)"
KB_META = re.compile(
    rf"^(?:请问|你|你们|您|这里|现在|目前|系统里?|库里|都)*(?:有|收录了?|包含|包括|存了?)(?:些)?(?:哪些|什么|多少(?:份|个|篇)?|几(?:份|个|篇))(?:的)?"
    rf"{_STOCK}(?:可以查|可查|能查|可用)?(?:呢|啊|呀)?$"
    rf"|^(?:请|麻烦|帮我)?(?:列出|列一下|列举|展示|给我看看?|看看)(?:一下)?(?:所有|全部|现有|目前)?(?:的)?{_STOCK}(?:的)?(?:清单|列表|目录)?$"
    rf"|^(?:你的|这个|这里的|系统的)?{_STOCK}(?:里|里面|中)?(?:都|一共|总共)*(?:有|收录了?|包含)(?:些)?(?:什么|哪些|多少(?:份|个|篇)?|几(?:份|个|篇))(?:内容|{_STOCK})?(?:呢|啊|呀)?$"
    rf"|^{_STOCK}(?:清单|列表|目录)$"
    r"|^(?:what|which|list(?:all)?(?:the)?)(?:documents|files)(?:doyouhave|arethere|areavailable|canyousearch)?$"
)


def clauses(text: str) -> list[str]:
    """Cut an utterance, NFKC and case folded, at its marks; Chinese clauses also at blanks."""
    text = unicodedata.normalize("NFKC", text).casefold()
    mark = r"[,，、。!！;；:：~～…\n]+" if text.isascii() else r"[,，、。!！;；:：~～…\s]+"
    return [part.strip() for part in re.split(mark, text) if part.strip()]


def squeezed(text: str) -> str:
    """Bring an utterance into the form that tier 0 looks at: NFKC, case folded, without blanks and marks at its ends.

    Question marks stay, wherever they stand.
    """
    text = unicodedata.normalize("NFKC", text).casefold().strip()
    return re.sub(r"[\s,，、。.!！~～…:：;；\"“”「」\U0001f300-\U0001faff\ufe0f]+", "", text)
