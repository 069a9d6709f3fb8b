"""Expansion: an invented passage, two other wordings, and the more general question above.

In: one question that stands alone. Out: text to search beside it. Nothing is invented but register: every content word
comes from the question, unknown figures are 若干, and no name is added.
"""

import re

from querylab import settings
from querylab.rules import asking, phrases
from querylab.rules import language as lang
from querylab.rules.asking import Asked
from querylab.rules.padding import without_padding, without_particle

# Spoken words and what documents write for them, longest first when applied.
_FORMAL_WORDS = (
    "多少钱=费用标准 怎么办=如何处理 怎么办理=如何办理 怎么办证=如何办证 "
    "咋办=如何处理 怎么处理=如何处理 怎么算=如何计算 "
    "怎么样=如何 怎么=如何 咋=如何 啥=什么 为啥=为何 能不能=是否可以 可不可以=是否可以 "
    "要不要=是否需要 用不用=是否需要 "
    "有没有=是否有 是不是=是否 找谁=由谁负责 归谁=由谁负责 谁管=由谁负责 谁批=由谁审批 "
    "给谁=向谁 跟谁=向谁 丢了=遗失 弄丢=遗失 坏了=损坏 弄坏=损坏 挂了=发生故障 崩了=发生故障 "
    "出问题=发生异常 出事=发生事故 "
    "卡住=受阻 不干了=离职 辞职=离职 走人=离职 开除=解除劳动合同 炒鱿鱼=解除劳动合同 "
    "招人=招聘 新人=新入职人员 老板=上级主管 领导=上级主管 工资=薪酬 涨薪=薪酬调整 "
    "涨工资=薪酬调整 加薪=薪酬调整 "
    "奖金=绩效奖金 补贴=津贴 请假=休假 打卡=考勤 迟到=考勤迟到 换岗=岗位调整 调岗=岗位调整 "
    "转岗=岗位调动 报销=费用报销 打车=市内交通 坐飞机=乘坐飞机 机票=航空机票 "
    "住酒店=住宿 住宾馆=住宿 "
    "饭钱=餐费 吃饭=用餐 请客=业务招待 送礼=馈赠礼品 收礼=收受礼品 买=采购 买东西=采购 "
    "付钱=付款 退钱=退款 交钱=缴费 花钱=支出 发票=票据 借=借用 修=维修 扔=报废处置 "
    "换=更换 改=变更 "
    "改配置=配置变更 加机器=资源扩充变更 升级=版本变更 上线=发布上线 "
    "发版=版本发布 回退=回滚 下线=停用 停机=停机维护 删=删除 删库=删除数据库 查=查询 看=查阅 "
    "用=使用 装=安装 装软件=安装软件 "
    "传=传输 发邮件=发送电子邮件 邮箱=电子邮箱 电脑=计算机设备 手机=移动终端 账号=账户 "
    "密码=口令 权限=访问权限 泄露=泄露事件 外泄=泄露事件 黑客=网络攻击 中毒=感染恶意程序 "
    "加班=延长工作时间 "
    "半夜=夜间 大半夜=夜间 下班后=非工作时间 周末=休息日 过节=法定节假日 外人=来访人员 "
    "客人=来访人员 搬家=搬迁 签字=签批 盖章=用印 批=审批 交=提交 填=填写 弄=办理 办=办理 "
    "拿=领取 领=领取 问=咨询 说=说明 "
    "急事=紧急事项 着急=紧急 赶紧=及时 马上=立即 快点=及时 罚=处罚 挨罚=受到处罚 赔=赔偿 "
    "骂=投诉 告状=投诉 报警=报案 受伤=人身伤害 生病=患病 看病=就医 体检=健康检查 怀孕=孕期 "
    "生孩子=生育 培训=教育培训 "
    "考试=考核 面试=招聘面试 钥匙=门禁钥匙 停车=车辆停放 开会=会议 会议室=会议场地 "
    "出差=公务出差 出国=因公出境 在家办公=远程办公 居家办公=远程办公 合同=协议合同 "
    "多久=多长期限 几天=多少天"
)
_FORMAL = dict(pair.split("=", 1) for pair in _FORMAL_WORDS.split())
_FORMAL_PHRASE = re.compile(lang.alternatives(" ".join(word for word in _FORMAL if len(word) > 1)))

# What a policy adds around its rule; chosen by what is asked, one after the other until the length is reached.
_FRAMES: dict[str, tuple[str, ...]] = {
    "amount": ("超出标准的部分由本人承担，确有需要的须事先审批", "凭有效票据据实结算"),
    "time": ("逾期未办理的视为放弃，确需延长的须事先书面申请", "起算时间以提交申请之日为准"),
    "approver": ("未经书面批准不得执行", "审批记录应当留存备查，紧急情况下可先报告后补办手续"),
    "person": ("该负责人对执行情况进行监督并受理咨询", "人员变动时应当及时更新并通知相关部门"),
    "place": ("办理时应当出示有效证件并登记", "地点调整时另行通知"),
    "count": ("超过限额的须另行申请并说明理由", "未使用的部分按照规定处理"),
    "handling": ("发现后应当第一时间报告主管部门并保留证据", "造成损失的按照规定追究责任"),
    "procedure": ("申请人应当填写申请单并附相关材料，由主管部门审核", "办理结果通知申请人并归档备查"),
    "class": ("不同级别适用不同的审批权限和办理时限", "级别由主管部门评定并记录在案"),
    "permission": ("未经批准不得擅自办理，例外情形须书面说明", "违反规定的按照有关制度处理"),
    "list": ("缺少任何内容的应当补正后重新提交", "具体内容以主管部门公布的为准"),
    "reason": ("其目的在于控制风险并明确责任", "有异议的可以向主管部门提出"),
    "other": ("相关人员应当遵守并接受监督检查", "特殊情况须经主管部门批准"),
}
_CLOSINGS = ("本规定由归口管理部门负责解释", "未尽事宜按照有关制度执行", "各部门应当遵照执行，并定期检查落实情况")
_QUESTION_TO_STATEMENT = (
    (re.compile(r"多少钱|几块钱|多少元|几元"), "若干元"),
    (re.compile(r"多长时间|多久|什么时候|何时|几时"), "若干时间"),
    (re.compile(r"百分之几"), "一定比例"),
    (
        re.compile(
            r"(?:几|多少)(?=个?(?:工作日|小时|分钟|天|个月|月|年|周|次|人|份|本|台|张|名|级|类|档|元|"
            r"万|楼|层|点|号|公里|岁|位|件|页|遍|倍))"
        ),
        "若干",
    ),
    (re.compile(r"多少|几(?=个)|多大|多高|几"), "若干"),
    (re.compile(r"找谁|由谁|谁来|谁|哪位|什么人|哪个部门|哪个岗位"), "相关负责人"),
    (re.compile(r"在哪里|在哪儿|在哪|哪里|哪儿|什么地方"), "指定地点"),
    (re.compile(r"怎么办(?![理证卡手])|咋办(?![理证卡手])|如何处理|怎么处理"), "应当按照规定处理"),
    (re.compile(r"怎么|如何|怎样|咋"), "按照规定流程"),
    (re.compile(r"能不能|可不可以|是否可以|能否|可否"), "经批准可以"),
    (re.compile(r"要不要|需不需要|用不用|是否需要"), "应当"),
    (re.compile(r"是不是|是否|有没有|有无"), ""),
    (re.compile(r"为什么|为何|为啥"), ""),
    (re.compile(r"(?:哪些|什么样的|哪种|哪一[种类项份个]|哪[种类项份个级档]|什么|啥)"), "相应"),
    (re.compile(r"[吗么呢吧啊呀]?[？?]*$"), ""),
)
_LIMIT = 60


def hypothetical_passage(question: str) -> str:
    """Write a passage in the tone of a policy that could answer the question, 80 to 150 characters long.

    Rule: the question turned into a statement (question words become 若干, 相关负责人, 指定地点, …), then the sentences
    that policies put around such a rule, until the length is reached.
    Limits: the frame is office Chinese whatever the subject; a very long question is cut.
    Example: 「借用投影仪要提前几天」 → 「借用投影仪要提前若干天。借用投影仪的时限要求为：…」.
    """
    low, high = settings.DRAFT_CHARACTERS
    if lang.is_english(question):
        return _english_passage(question[: lang.LONGEST], low, high)
    clean = _clean(question)
    statement = "，".join(_state(clause) for clause in asking.clauses(clean))[:_LIMIT].rstrip("，") or "有关事项"
    subject = (phrases.topic(clean) or statement)[:16]
    wanted = asking.asked((asking.asking_clauses(clean) or [clean])[-1])
    out = f"{statement}。" if statement.startswith(subject) else f"{subject}：{statement}。"
    frames = (f"{subject}的{wanted.rule}为：{wanted.statement}", *_FRAMES[wanted.kind], *_CLOSINGS)
    for sentence in frames:
        if len(out) >= low:
            break
        if len(out) + len(sentence) + 1 <= high:
            out += f"{sentence}。"
    return out[:high]


def _clean(question: str) -> str:
    return without_particle(without_padding(re.sub(r"\s+", " ", question[: lang.LONGEST]).strip()))


def _state(clause: str) -> str:
    for form, words in _QUESTION_TO_STATEMENT:
        clause = form.sub(words, clause)
    return clause.strip()


def _english_passage(question: str, low: int, high: int) -> str:
    words = re.sub(
        r"^(?:what|how|who|when|where|which|why)\b(?:\s+(?:much|many|long|often|is|are|do|does|"
        r"can|did|i|we|the))*",
        "",
        question.strip().rstrip("?!. "),
        flags=re.IGNORECASE,
    )
    subject = (
        re.sub(r"^(?:is|are|do|does|can|could|may|should|i|we|you|the)\s+", "", words.strip(), flags=re.IGNORECASE)[
            :60
        ].strip()
        or "this matter"
    )
    out = f"The policy sets out {subject}: a stated limit applies."
    for sentence in (
        "Requests must be submitted in advance and approved in writing.",
        "Exceptions need prior approval.",
        "Records are kept for review.",
    ):
        if len(out) < low and len(out) + len(sentence) + 1 <= high:
            out += f" {sentence}"
    return out[:high]


# ── Other wordings ──────────────────────────────────────────────────────────────────────────────
def formal(text: str) -> str:
    """Put spoken words into the register of documents, whole words only.

    Example: 「工牌丢了怎么办」 → 「工牌遗失如何处理」.
    Limits: a fixed lexicon, for Chinese only; a word that documents use in its spoken form too is changed all the
    same.
    """
    text = _FORMAL_PHRASE.sub(lambda found: _whole_word(text, found), text)
    return "".join(_FORMAL[word] if len(word) == 1 and word in _FORMAL else word for word, _ in lang.cut(text))


def _whole_word(text: str, found: re.Match[str]) -> str:
    """Give the formal word, unless the match cuts a word in two or the formal word already stands around it."""
    ends = {0}
    for word, _ in lang.cut(text):
        ends.add(max(ends) + len(word))
    new = _FORMAL[found.group()]
    cuts = found.start() not in ends or found.end() not in ends
    return found.group() if cuts or new in text[max(0, found.start() - 4) : found.end() + 4] else new


def variants(question: str) -> list[str]:
    """Write two other wordings of a question: its keywords, and the heading a document would give it.

    Rule: first the content words, numbers, names, negations and conditions with the label of what is asked; then the
    question in formal words, as 「…的审批权限」, 「…的时限要求」.
    Limits: synonyms come from a fixed lexicon.
    Example: 「工牌丢了要找谁」 → 「工牌 丢 负责人」, 「工牌遗失的职责分工」.
    """
    clean = _clean(question)
    if lang.is_english(clean):
        return _english_variants(clean)
    wanted = [asking.asked(clause) for clause in asking.asking_clauses(clean)] or [asking.asked(clean)]
    words = asking.keywords(clean)
    labels = [kind.label for kind in wanted if kind.kind not in ("permission", "other", "list")]
    first = " ".join(dict.fromkeys(words + [label for label in labels if not any(label in word for word in words)]))
    second = "；".join(_heading(clause, asking.asked(clause)) for clause in asking.clauses(clean))
    if second == clean:
        second = f"关于{clean.rstrip('？?')}的规定"
    return _distinct([first or clean, second or clean], clean)


_ASKING_WORDS = re.compile(
    r"^为[什何]么?|(?:要|需要|须|该)?走?(?:什么|哪些)(?:流程|手续|步骤)|(?:由|找|要|须|需要|"
    r"归|经)?谁(?:来|负责)?|由谁(?:负责)?|(?:最晚|最迟)?(?:什么时候|何时|几点)|哪些"
    r"|在?(?:哪里|哪儿)|(?<=提前)(?:几|多少)(?:个)?(?:工作日|天|小时|周|月)?|(?:由|找|"
    r"要)?哪(?:个|位)(?=部门|人|领导)"
)


def _heading(clause: str, wanted: Asked) -> str:
    plain = re.sub(
        r"(?:请问|是|为|有|要|需要)?(?:多少钱|多少元|多少|多久|多长时间|几(?:个)?(?:工作日|天|"
        r"小时|个月|月|年|次|分钟))?[吗么呢吧啊呀]?[？?]*$",
        "",
        clause,
    )
    text = formal(plain)
    if wanted.kind == "other":
        return text
    text = _ASKING_WORDS.sub("", text) if wanted.kind not in ("class", "permission") else text
    text = re.sub(
        r"如何处理$|由谁负责$|由谁$|是谁$|在哪里?$|怎么$|如何$|可以$|能$|是否可以(?=.)|有$|是$|"
        r"要$|得$|了$",
        "",
        text,
    )
    text = re.sub(r"(?<=.)(?:如何|怎样)", "", text) if wanted.kind == "procedure" else text
    tail = wanted.rule
    return text if text.endswith(tail) or not text else f"{text}的{tail}" if not text.endswith("的") else text + tail


def _distinct(found: list[str], question: str) -> list[str]:
    spare = [f"{question.rstrip('？?')} 规定", f"有关{question.rstrip('？?')}的要求"]
    out: list[str] = []
    for text in found + spare:
        if text.strip() and text not in out and text != question:
            out.append(text)
    return out[: settings.VARIANTS]


_ENGLISH_STOP = lang.lexicon(
    "what how who when where which why is are was were do does did can could should would "
    "will may must i we you my our your the a an of to for in on at "
    "it be me much many there have has get with please tell about and or"
)


def _english_variants(question: str) -> list[str]:
    words = [word for word in re.findall(r"[\w'-]+", question) if word.casefold() not in _ENGLISH_STOP]
    first = " ".join(dict.fromkeys(words)) or question
    return _distinct([first, f"policy and requirements for {' '.join(words) or question}"], question)


# ── One step back ───────────────────────────────────────────────────────────────────────────────
_INSTANCE = re.compile(
    r"某(?:个|台|位|次|项|条|份)?|临时|这次|那次|昨天|今天|明天|上周|下周|刚才|我(?:们)?的?|"
    r"咱们?的?|一(?:个|台|位|次|份)"
)


def step_back(question: str) -> str:
    """Ask for the rule above the question: grading standard, time limit, approval rights, procedure, ….

    Rule: every asking clause gives its class of rule (属于几级甲 → 甲的分级标准, 最晚提前几天乙 → 乙的时限要求,
    谁批 → 审批权限); clauses that only describe the case, numbers, times, places and owners go.
    Limits: what the case is an instance of is not known, so its own noun stays when no class word stands there.
    Example: 「明天要借两台投影仪，最晚几点登记」 → 「登记的时限要求是什么」.
    """
    clean = _clean(question)
    if lang.is_english(clean):
        words = [word for word in re.findall(r"[A-Za-z][\w'-]*", clean) if word.casefold() not in _ENGLISH_STOP]
        return f"What are the general rules on {' '.join(words[-4:]) or 'this'}?"
    parts: list[str] = []
    whole = phrases.topic(clean)
    for clause in asking.asking_clauses(clean):
        wanted = asking.asked(clause)
        own = phrases.topic(clause)
        act = _class_word(clause, wanted)
        named = _general(own) if wanted.kind == "time" and phrases.has_topic(own) and act not in own else ""
        subject = (named + act if act else "") or _general(own or whole)
        rule = wanted.rule
        if subject and not subject.endswith(rule):
            parts.append(f"{subject.removesuffix('的')}的{rule}")
        elif subject:
            parts.append(subject)
    text = "和".join(dict.fromkeys(parts)) or f"{_general(whole) or clean}的管理规定"
    return f"{text}是什么"


def _class_word(clause: str, wanted: Asked) -> str:
    """Read the class from 「属于几级甲」 or the act from 「最晚提前几天乙」."""
    if wanted.kind == "class":
        found = re.search(r"(?:几|哪一?|什么)(?:个)?(?:级|类|档|等)(?:别|次)?的?([\u4e00-\u9fff]{2,6})", clause)
        return found.group(1) if found else ""
    if wanted.kind == "time":
        found = re.search(
            r"(?:几|多少)(?:个)?(?:工作日|天|小时|周|月)(?:之?前|内)?([\u4e00-\u9fff]{2,6})$", clause.strip(" ？?")
        )
        if not found:
            before = re.search(
                r"([\u4e00-\u9fff]{2})(?:多久|多长时间|几天|几年|几个月|多少天|几个?工作日)$", clause.strip(" ？?")
            )
            known = before and before.group(1) in lang.PROCESS_VERBS and before.group(1) != "提前"
            return before.group(1) if before and known else ""
        return found.group(1) if found and phrases.units(found.group(1))[0].kind in ("verb", "content") else ""
    return ""


def _general(subject: str) -> str:
    """Drop what makes a phrase one case: numbers, times, places, owners; keep what stands after the last 「的」."""
    subject = _INSTANCE.sub("", subject)
    kept = [
        unit
        for unit in phrases.units(subject)
        if unit.kind not in ("number", "mark")
        and unit.text not in lang.TIME_KINDS.split()
        and unit.text not in lang.PLACE_KINDS.split()
        and not (unit.tag == "ns" and not subject.endswith(unit.text))
        and not (unit.kind == "content" and unit.text[0] == "每")
    ]
    kept = [unit for unit in kept if unit.text != "在" or unit.start + 1 in {other.start for other in kept}]
    text = phrases.joined(kept)
    last = text.rsplit("的", 1)[-1]
    text = last if len(last) >= 2 else text
    return text.strip("的把 ")
