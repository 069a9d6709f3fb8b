"""Routing: which of three ways a question goes.

In: one question. Out: ``direct`` (talk that no document answers), ``single-hop`` or ``multi-hop`` (first find who or
which, then search with that). Direct is decided by what is *left over*: a sentence is talk only when its words are
talk and nothing else remains. Multi-hop is decided by sentence form. Everything undecided is single-hop.
"""

import re
import unicodedata

from querylab.rules import language as lang
from querylab.rules import phrases, talk
from querylab.types import Intent

_EMOJI = re.compile("[\u2190-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]")


def intent(question: str) -> Intent:
    """Choose the way of a question.

    Rule: ``direct`` when every clause is talk (a greeting, thanks, farewell, acknowledgement, apology, praise, a
    question about the assistant itself, small talk) and one clause carries it; a clause of talk before a real
    question does not count. ``multi-hop`` by form: a relative clause that stands for an unnamed person, unit, place
    or paper whose property is asked; or a question whose answer the next clause points back to. Else ``single-hop``.
    Limits: small talk in unforeseen words is searched (cheap); a chain told without any pointing word is single-hop.
    Example: 「多谢！」 direct; 「谢谢，储物柜怎么租」 single-hop; 「批准加班的那位主管在几楼」 multi-hop.
    """
    text = _EMOJI.sub(" ", unicodedata.normalize("NFKC", question[: lang.LONGEST])).strip().casefold()
    if not re.search(r"[^\W_]", text):
        return "direct" if question.strip() else "single-hop"
    if talk.is_talk(text):
        return "direct"
    return "multi-hop" if is_multi_hop(text) else "single-hop"


# ── Two hops ────────────────────────────────────────────────────────────────────────────────────
_KIND = (
    "个人 位 人 领导 主管 经理 负责人 同事 老师 主任 部门 科室 小组 团队 委员会 机构 公司 "
    "单位 岗位 岗 厂家 供应商 合作商 服务商 中心 窗口 厅 馆 室 库房 仓库 仓 "
    "池子 场地 会议室 地方 楼 文件 制度 规定 规范 标准 办法 表 表单 表格 单子 合同 协议 清单 "
    "手册 系统 平台 医院 快递 店 级别 等级 类别 类型 档位 接口人 对接人 联系人 "
    "审批人 经办人 专员 教练 医生 委员 秘书 组 处 科 部"
)
_DUTY = (
    "处理 执行 支持 运营 负责 审批 批准 审核 批 签字 签发 签批 分管 主管 管理 管 掌管 保管 "
    "接收 受理 承办 主办 牵头 归口 承保 维护 维修 修 裁定 判定 鉴定 决定 发放 颁发 出具 存放 "
    "保存 举办 办 承接 接手 对接 找 联系 经手 签 派 送 盖章 备案 制定 起草 发布 规定 适用 "
    "依据 参照 遵循 解释 监督 检查 检测 安装 交给 提交给 申诉 填 用 走 开具 提供 办理 评 评定 "
    "评选 评审 "
    "讲授 辅导 指导 照顾 签订 承建 代理 采购 配送 接待 登记 收 收取 看管 值守 组织 主持 带队 "
    "授课"
)
_PROPERTY = (
    r"(?:电话|邮箱|手机|分机|联系方式|办公时间|办公室|工位|办公地点|地址|叫什么|姓名|名字|"
    r"是谁|在哪|"
    r"哪里|哪儿|几楼|哪层|哪栋|几号|怎么联系|如何联系|上级|领导|秘书|助理|下属|工作时间|上班|"
    r"下班|值班|周几|星期几|"
    r"几点|什么时候|办公时间|开放|开门|关门|多少|多久|几天|几个|几次|哪几天|怎么|哪个|什么|"
    r"能不能|可不可以|[吗]|"
    r"[不没][^，,]{1,3}$|谁|哪些|级别|职级|职位)"
)
_RELATIVE = re.compile(
    rf"(?:{lang.alternatives(_DUTY)})[^，,。？?]{{0,14}}的\s*(?:那|这|该)(?:一)?(?:个|位|名|"
    rf"家|份|张|间|条|部|项|套|种)?\s*(?:{lang.alternatives(_KIND)})?(?:的)?[^。？?]{{0,6}}?["
    rf"，,]?[^，,。]{{0,10}}?{_PROPERTY}"
)
_RELATIVE_UNIT = re.compile(
    rf"(?:^|[，,]|请问)(?![^，,的]*被)[^，,的]{{0,6}}(?:{lang.alternatives(_DUTY)})[^，,。？?"
    rf"的是]{{1,14}}的(?:负责|具体)?(?:"
    rf"{lang.alternatives(_KIND.replace('个人 位 人 ', '').replace(' 表 ', ' ') + ' ' + lang.ROLE_SUFFIXES)}"
    rf")(?!审批|"
    rf"规定的|是[谁哪])(?:的)?[^，,。的]{{0,8}}?{_PROPERTY}"
)
_RELATIVE_THAT = re.compile(
    rf"[^，,。的]{{3,}}的(?:那|这)(?:个|位|名|家)(?:人|部门|团队|小组|公司|机构|委员会|单位|"
    rf"领导|同事|老师|岗位|窗口|科室|派出所|{lang.alternatives(lang.ROLE_SUFFIXES)})(?!是[谁"
    rf"哪])[^。]{{0,8}}?{_PROPERTY}"
)
_RELATIVE_PERSON = re.compile(
    rf"(?:{lang.alternatives(_DUTY)})[^，,。？?的]{{0,14}}的(?:人|人员|同事|"
    rf"领导)[，,的]?(?:的)?\s*(?:办公|手机|联系)?"
    r"(?:电话|邮箱|手机|分机|联系方式|办公室|工位|叫什么|叫啥|姓名|名字|在哪|在几楼|在哪层|"
    r"怎么联系|上级|领导|秘书|助理|哪个部门|什么部门|职级|职位|每?周几|几点)"
)
_OWNER_CHAIN = re.compile(
    r"(?:审批人|批准人|签批人|审核人|经办人|受理部门|主管部门|归口部门|牵头部门|主办单位|"
    r"承办单位|责任部门|责任人|对接人|接口人|发布部门|制定部门|所在(?:的)?部门|"
    r"负责人所在)的?"
    r"[^，,。]{0,6}(?:电话|邮箱|手机|分机|联系方式|办公室|工位|上级|领导|秘书|在几楼|在哪|"
    r"所在|会员|发票|叫什么|负责人|几点|多久|几天)"
)
# A person told only by relation to another (校长的秘书), a paper told only as the one referred to (引用的那份标准).
_BY_RELATION = re.compile(
    rf"(?:{lang.alternatives(lang.ROLE_SUFFIXES)})的?(?:秘书|助理|直属领导|直接上级|直属上级|"
    rf"上级|顶头上司|下属|副手|继任者|接班人|搭档)(?:是谁|叫|的|电话|邮箱|在|几)"
)
_BY_REFERENCE = re.compile(
    r"(?:依据|引用|参照|援引|提到|涉及|对应|适用|执行|遵循|要求填|要填)的(?:那|这|"
    r"该)?(?:一)?(?:份|个|条|部|项|张)?(?:国家|行业|企业)?"
    r"(?:文件|标准|预案|应急预案|规范|制度|办法|条款|规定|法规|协议|合同|表|"
    r"表格)[^。]{0,16}(?:几|哪|什么|多少|多久|谁|吗|怎么|如何)"
)
# A person or unit told by duty in the first clause, taken up by a pronoun in the second.
_RELATIVE_BACK = re.compile(
    rf"(?:{lang.alternatives(_DUTY)})[^，,。？?的]{{1,14}}的(?:人|同事|老师|部门|单位|公司|"
    rf"机构|医生|师傅|窗口)[^，,]{{0,12}}"
    rf"[，,]\s*(?:他|她|它|其|那|这|该)[^。]*{_PROPERTY}"
)
_FIRST_THEN = re.compile(
    r"先(?:帮我|给我|去)?(?:找|查|看|确定|确认|告诉|弄清|搞清|问)[^。]{2,30}?(?:再|然后|"
    r"接着)(?:帮我|给我|去)?(?:看|查|告诉|说|算|问|找|确认)"
)
_WHO_THEN_CONTACT = re.compile(
    r"(?:谁|哪位|哪个(?:部门|科室|人|老师|单位))[^，,。？?]{0,14}[，,？?]\s*(?:请问)?(?:在(?:"
    r"几楼|哪里?|哪儿|几号楼|哪栋楼?)办公|办公(?:室|地点)|(?:联系)?电话|邮箱|联系方式|分机|"
    r"工位|怎么联系|如何联系)"
)
_ASKS_FIRST = re.compile(
    r"(?:谁|哪[^，,。？?里儿些天几]{0,6}|哪一?[个位家份张条级类档种项]|"
    r"什么(?!是)[^，,。？?时候样]{1,6}|几级|几类|几档|几等|第几[条档级类]|什么$|啥[^，,。]{1,4}|"
    r"叫什么|下一个[^，,。]{1,6}是什么|编号是多少)"
)
_POINTS_BACK = re.compile(
    rf"(?:^|[，,。；;？?\s]|再[查看告诉我一下]{{1,5}})\s*(?:然后|那么|以及|并且|再|它|请问|"
    rf"同时|还有|另外|按|按照|去|在|到|找|联系|过了|用|对应的?|怎么联系|如何联系|根据|走)*"
    rf"(?:(?:那|这|该|此)(?:一)?(?:{lang.alternatives(lang.MEASURES)}|个级别|等级|级别|级|类|"
    rf"档|规定|部门|标准|制度)|该[\u4e00-\u9fff]|那儿|那里|去那儿|他们|她们|他|她|它|其(?!他|"
    rf"它|余|中|实)|这样的|这种|该级|对应的?|相应的?)"
)
_ROLE_BACK = re.compile(
    r"[，,]\s*(?:批|签|审|管理|管|负责|签合同|审批|接收|受理|经手|办理|"
    r"鉴定)[^，,的]{0,4}的?(?:人员|人(?!数|次|工)|"
    r"部门|那位|那个人|机构|单位|老师|领导)"
)
_CLASS_FIRST = re.compile(
    r"(?:属于|属|算|算是|归|归为|归入|划为|划到|划入|定为|定成|评为|列为|被定成|被划到|走的是|"
    r"在|按|适用|对应|达到|是)(?:的)?(?:哪|几|什么|第几)(?:一)?(?:个|种|级|类|档|等|"
    r"项)?[^，,。]{0,8}[，,]"
)
_CLASS_BACK = re.compile(
    r"(?:最晚|最早|最多|最少|最高|多[长大高重]|几|要|需|应|该|多久|几天|提前|多少|谁|由谁|"
    r"怎么|如何|能)"
)
_BY_CLASS = re.compile(
    r"(?:按|根据|依照|按照)[^，,。]{1,16}(?:级别|等级|类别|档次|档位|"
    r"所属[^，,。]{1,4})[^。]{0,12}(?:多少|几|谁|多久|什么|哪|怎么|如何|吗)"
)
# Somebody told only by what he does (给我装门的师傅), whose name or number is asked.
_DOER = re.compile(
    rf"(?P<deed>[^，,的]{{3,}})的(?:那|这)?(?:一)?(?:个|位|名)?(?:人|人员|{lang.alternatives(lang.ROLE_SUFFIXES)}|师傅|阿姨|大爷|同学|"
    r"[\u4e00-\u9fff]{1,2}[员师工])(?:的)?(?:(?:联系|办公|手机)?(?:电话|号码)|手机号?|工号|邮箱|微信|叫什么|叫啥|姓什么|姓啥|在几|在哪个?(?:窗口|"
    r"办公室|楼))"
)
# One clause asks who or which, a later one speaks of that very thing: by a pronoun, by 那/这 with its noun, or by a
# property that only a person or an office has.
_WHO_ASKED = re.compile(
    r"谁|哪位|叫什么|叫啥|姓什么|姓啥|哪个(?:人|部门|科室|单位|岗位?|公司|机构|团队|班组|老师|领导|师傅)|哪家|"
    r"(?:找|联系|查|问)[^，,]{2,}" + rf"(?:{lang.alternatives(lang.ROLE_SUFFIXES)})$"
)
_PRONOUN = re.compile(r"(?<!其)(?:[他她](?!人|方|项|乡)|(?<![a-z])ta(?![a-z])|对方)")
_REACHED = (
    r"(?:电话|手机|座机|分机|热线|邮箱|微信|联系方式|联系|办公室|办公地点|工位|值班|坐班|出诊|上班|下班|几楼|预约见|"
    r"见到|见面|在不在|在哪|接待日?|休息|有空|告诉|名字|叫什么|送|来|约|沟通|请教|反映)"
)
_CONTACT_FIRST = re.compile(
    r"^(?:请问|那|还有|以及|顺便|另外|再)*(?:(?:联系|办公|手机|投诉|报修|客服|服务|咨询)?(?:电话|热线|号码)|手机号?|座机|分机号?|"
    r"邮箱|微信|联系方式|办公室|办公地点|工位|坐班|值班室|(?:怎么|如何|怎样)(?:才能)?(?:联系|找|预约见|见到)|在(?:几楼|哪)[^，,]{0,4}办公)"
)
_WHICH_ASKED = re.compile(
    r"(?:哪|什么(?!是)|何种|几)(?:一)?(?:个|位|家|种|类|级|档|份|张|条|项|间|层|款|样|等|栋|座|部)?([\u4e00-\u9fff]{0,8})"
)
_THAT = re.compile(
    r"(?:[那这](?:一)?(?:个|位|家|种|类|级|档|份|张|条|项|间|层|款|样|等|栋|座|部|里|儿)|该(?!不该|怎|如|找|去|带|交|怎))"
)
_REQUEST = re.compile(
    r"[吗么]$|多少|怎么|如何|哪|几|谁|什么|多久|多[长大高重远]|(\w)[不没]\1|(?:告诉|发|给|说|讲|查|报)(?:给|一下|下)?我|说说|看看|查查|的[\u4e00-\u9fff]{2,6}$"
)
_WAY_THERE = re.compile(r"过去|到那|去那|怎么走|怎么去|如何前往|怎么到|走过去|坐(?:几|什么|地铁|公交|车)")
_PLACE_ASKED = re.compile(rf"(?:哪个?|什么)[^，,]{{0,4}}(?:{lang.alternatives(lang.PLACE_SUFFIXES)}|店|所|院|局)")
_BELONGS = re.compile(
    r"[^，,]{2,}(?:归属|所属|隶属|对应|所对应|相应|适用)的?(?!的)(?![^，,]{0,3}(?:材料|资料|手续|表|申请))"
    rf"[\u4e00-\u9fff]{{2,8}}?(?:的|是|能|可以|要|在|有)?[^，,]{{0,4}}?{_PROPERTY}"
)
_ENGLISH_CHAIN = re.compile(
    r"\b(?:who|which|what)\b[^?]*(?:,\s*|\s+)and\s+(?:what|where|when|how|who|which|is|does|"
    r"do|can|in which)\b[^?]*\b(?:that|this|those|these|their|his|her|its|they|he|she|it|the "
    r"same)\b"
    r"|\b(?:the|what(?:'s| is)[^?]*\bof the)\s+(?:person|manager|team|department|office|unit|"
    r"committee|company|officer|document|policy|one)\s+(?:who|that|which|responsible for|in "
    r"charge of)\b[^?]*"
    r"|\b(?:what|where|when|how|which)\b[^?]*\b(?:person|manager|team|department|office|unit|"
    r"committee|company|officer|document|policy)\s+(?:who|that|which|responsible for|in "
    r"charge of)\b[^?]*"
)


def is_multi_hop(text: str) -> bool:
    """Say whether the form of a question asks for a property of something it does not name.

    Limits: a property that stands in the same passage as the name (「谁审批，他几点下班」) still counts as two hops.
    Example: 「报修归哪个班组管，那个班组在哪栋楼」 yes; 「设备科在几楼」 no.
    """
    if lang.is_english(text):
        return bool(_ENGLISH_CHAIN.search(text)) and bool(
            re.search(r"^(?:what|where|when|how|which|who|whose)\b", text)
        )
    if _RELATIVE.search(text) or _RELATIVE_PERSON.search(text) or _OWNER_CHAIN.search(text) or _BY_CLASS.search(text):
        return True
    if any(form.search(text) for form in (_BY_RELATION, _RELATIVE_BACK, _BY_REFERENCE, _FIRST_THEN, _WHO_THEN_CONTACT)):
        return True
    if _RELATIVE_UNIT.search(text) or _RELATIVE_THAT.search(text):
        return True
    if _BELONGS.search(text) or _does_it(text) or _is_told(text):
        return True
    clauses = [clause for clause in re.split(r"[，,。；;？?\s]+", text) if clause]
    for index in range(1, len(clauses)):
        before, after = "，".join(clauses[:index]), "，" + clauses[index]
        if _speaks_of_it(clauses[:index], clauses[index]):
            return True
        if not _ASKS_FIRST.search(before):
            continue
        rest = "，".join(clauses[index:])
        asks = any(unit.kind == "question" for unit in phrases.units(rest)) or bool(
            re.search(r"[吗么]|不[^，,]|电话|邮箱|怎么|必须|哪|没有|联系方式|分机|呢$|办公室|办公时间", rest)
        )
        if asks and _repeats(clauses[index - 1], clauses[index]):
            return True
        if asks and (_POINTS_BACK.search(after) or _ROLE_BACK.search(after)):
            return True
        if (
            asks
            and _CLASS_FIRST.search(before + "，")
            and _CLASS_BACK.search(rest)
            and re.search(r"级|类|档|等|种", before)
        ):
            return True
    return False


def _repeats(before: str, after: str) -> bool:
    """Say whether a clause begins with the very noun that the clause before it asked for (「归哪个班组，班组…」)."""
    single = re.search(r"哪一?个([科处组部室班厅馆院])", before)
    if single and after.startswith(single.group(1)):
        return True
    asked = re.search(
        r"(?:哪一?[个家位份张条种项]|什么)([\u4e00-\u9fff]{2,4}?)(?:负责|管|受理|审批|处理|办理|"
        r"承办|执行|适用|审|$)",
        before,
    )
    if asked and after.startswith(asked.group(1)):
        return True
    named = re.search(r"([\u4e00-\u9fff]{3,8})(?:是|叫)(?:什么|谁|哪|啥)[^，]{0,3}$", before)
    return bool(named) and any(after.startswith(named.group(1)[start:]) for start in range(len(named.group(1)) - 2))


def _speaks_of_it(before: list[str], clause: str) -> bool:
    """Say whether a clause speaks of the very thing that a clause before it asked for or set out to find.

    Rule: after 谁/哪位/叫什么, a pronoun with something to reach a person by, or such a property alone; after 哪个,
    「那个」 anywhere in a clause that asks or requests; after a place, a way there.
    Limits: 「那个」 may point to something else. Example: 「客房归谁打扫，怎么打电话找她」.
    """
    who = any(_WHO_ASKED.search(part) for part in before)
    if who and (_CONTACT_FIRST.match(clause) or (_PRONOUN.search(clause) and re.search(_REACHED, clause))):
        return True
    if who and (verb := re.search(r"谁(?:来)?([\u4e00-\u9fff]{2})$", before[-1])) and clause.startswith(verb.group(1)):
        return bool(re.match(r"(?:人|者|方|单位|部门|老师)", clause[2:]))
    if any(_PLACE_ASKED.search(part) for part in before) and _WAY_THERE.search(clause):
        return True
    if (moved := re.search(r"([\u4e00-\u9fff])(?:到|去|进|成|给|往)(?:哪|什么|几)", before[-1])) and re.match(
        rf"{moved.group(1)}(?:过去|下去|上去|进去|到|去|成|了|完)", clause
    ):
        return True
    asked = [found for part in before for found in [_WHICH_ASKED.search(part)] if found]
    if any(len(found[1]) >= 2 and clause.startswith(found[1][:2]) for found in asked) and _REQUEST.search(clause):
        return True
    return bool(asked) and bool(_THAT.search(clause)) and bool(_REQUEST.search(clause))


# A thing told only by a deed or a rank (夺冠的那支队, 最老的那条船), of which something is asked.
_TOLD = re.compile(
    rf"(?P<told>[^，,]{{2,}}?)(?:的(?:那|这)|(?<!的)那)(?:{lang.alternatives(lang.MEASURES)}|届|支|首|艘|座)(?P<noun>[\u4e00-\u9fff]{{1,8}})"
    rf"|(?P<rank>最[\u4e00-\u9fff]{{1,2}}|第一|头一|倒数第一)的(?P<best>[\u4e00-\u9fff]{{2,8}})"
)


def _is_told(text: str) -> bool:
    """Say whether a thing has no name but what it did or where it ranks, and a property of it is asked.

    Limits: 「那个」 as a filler before an attribute (押金那个费用) is none. Example: 「夺冠的那支队练球在哪」.
    """
    found = _TOLD.search(text)
    asks = any(unit.kind == "question" for unit in phrases.units(text)) or bool(re.search(r"[吗么不没]$", text))
    if not found or not asks:
        return False
    noun = phrases.units(found["noun"] or found["best"])
    if noun[0].kind != "content" or noun[0].tag[:1] not in "nsjqz":
        return False
    words = phrases.units(found["told"] or "")
    acts = any(unit.kind == "verb" or (unit.tag[:1] == "v" and unit.kind == "content") for unit in words)
    return bool(found["rank"]) or "最" in found["told"] or "第一" in found["told"] or (acts and len(words) > 2)


def _does_it(text: str) -> bool:
    """Say whether somebody is told only by a deed: what stands before 的 holds a verb and its object or subject."""
    found = _DOER.search(text)
    if not found:
        return False
    words = phrases.units(found["deed"])
    acts = [unit for unit in words if unit.kind == "verb" or (unit.tag[:1] == "v" and unit.kind == "content")]
    return bool(acts) and len(words) > 1 and acts[-1] is not words[-1]
