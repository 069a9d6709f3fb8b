"""What a question asks for: an amount, a time limit, a person, a place, a procedure, a permission, a class, a list.

In: one clause of a question. Out: the kind asked, with the words that a document uses for it. Expansion, the bridge and
the extractive answer all start here.
"""

import re
from dataclasses import dataclass

from querylab.rules import language as lang
from querylab.rules import phrases


@dataclass(frozen=True)
class Asked:
    """A kind of question: its name, its label in a heading, the rule above it, its statement in a policy."""

    kind: str
    label: str
    rule: str
    statement: str


_KINDS: tuple[tuple[re.Pattern[str], Asked], ...] = tuple(
    (re.compile(form), Asked(*words))
    for form, words in (
        (
            r"(?:几|哪一?|什么|何种)(?:个)?(?:级|类|档|等|种类|等级|级别|类别|档次|类型)",
            ("class", "级别", "分级标准", "按照分级标准确定级别"),
        ),
        (r"为什么|为何|为啥|什么原因|凭什么", ("reason", "原因", "制定依据", "依据有关规定执行")),
        (
            r"(?:谁|哪位|什么人|哪个部门|哪个岗位|哪个领导|何人)[^，,]{0,4}(?:批|审|签|同意|授权|"
            r"决定)|(?:找|由|经|要|须|需)谁[^，,]{0,6}(?:批|审|签|同意|授权)|审批人|批准人",
            ("approver", "审批人", "审批权限", "由有权审批的负责人书面批准"),
        ),
        (
            r"多少钱|多少元|几块|几元|多少万|多少费用|(?:费|价|钱|金|款|额|额度|上限|下限|限额|标准|"
            r"补贴|津贴|工资|押金)[^，,]{0,4}(?:是|为|有)?(?:多少|几|怎么算)|报多少|赔多少|罚多少|"
            r"付多少|交多少",
            ("amount", "金额", "费用标准", "标准为人民币若干元，超出部分须另行审批"),
        ),
        (
            r"最晚|最迟|提前(?:几|多)|多久|多长时间|几天|几个?工作日|几个月|几年|几小时|几个小时|"
            r"几分钟|多少天|多少个?(?:工作日|小时|月)|期限|时限|有效期|几周|什么时候|何时|几点|哪天|"
            r"几号|几时|几月|周几|星期几|什么时间|多早|多晚",
            ("time", "时限", "时限要求", "应当在规定的若干个工作日内完成"),
        ),
        (
            r"哪里|哪儿|何处|在哪|几楼|什么地方|哪一?层|哪栋|哪个(?:窗口|地方|平台|系统|网站|入口)|"
            r"地址",
            ("place", "地点", "办理地点", "在指定的地点或系统中办理"),
        ),
        (
            r"谁|哪位|什么人|何人|哪个(?:部门|岗位|小组|团队|组|单位|人)|叫什么|名字",
            ("person", "负责人", "职责分工", "由归口部门的负责人承担"),
        ),
        (
            r"多少次|几次|多少个|几个|多少人|几人|几份|几本|几台|几张|几名|百分之几|多大|多高|多少",
            ("count", "数量", "数量限制", "数量不超过若干"),
        ),
        (
            r"怎么办(?![理证卡手])|咋办(?![理证卡手])|怎么处理|如何处理|怎么处罚|会怎样|会怎么样|"
            r"有什么后果|怎么赔|什么处罚|"
            r"什么后果",
            ("handling", "处理", "处理规定", "应当立即报告并按照规定处理"),
        ),
        (
            r"怎么|如何|怎样|咋|流程|步骤|手续|什么方式",
            ("procedure", "流程", "办理流程", "应当提交申请，经审批后按流程办理"),
        ),
        (r"哪些|什么|啥|哪种|哪份|哪个|哪项|哪一", ("list", "要求", "具体要求", "应当符合下列各项要求")),
        (
            r"[吗么]$|能否|是否|可否|能不能|可不可以|要不要|需不需要|用不用|该不该|会不会|行不行|"
            r"是不是|有没有|有无|允许不|不$",
            ("permission", "规定", "管理规定", "符合条件的，经批准后方可办理"),
        ),
    )
)
_DEFAULT = Asked("other", "规定", "管理规定", "应当按照本规定执行")
_CUT = re.compile(r"[，,。；;？?！!\n]+")


def asked(clause: str) -> Asked:
    """Name the kind of thing a clause asks for. Limits: the first kind that fits, in the order above. Example:
    「门禁卡多少钱」 → amount.
    """
    text = clause.strip(" ？?。！!")
    return next((kind for form, kind in _KINDS if form.search(text)), _DEFAULT)


def clauses(question: str) -> list[str]:
    """Cut a question at its marks. Example: 「票价多少，几点开」 → 票价多少, 几点开."""
    return [part.strip() for part in _CUT.split(question) if part.strip()]


def asking_clauses(question: str) -> list[str]:
    """List the clauses that ask something; all of them when none does."""
    found = [
        clause
        for clause in clauses(question)
        if asked(clause).kind != "other" or any(u.kind == "question" for u in phrases.units(clause))
    ]
    return found or clauses(question)


_SPACES = " \u3000“”「」《》"
_NEGATION = lang.lexicon(
    "不 没 没有 未 无 非 不能 不可 不可以 禁止 不得 不用 不需要 不会 除 除了 超过 不足 以上 以下 以内 以外"
)


_A_NOT_A = re.compile(r"(\w{1,2})[不没]\1")  # 「能不能」 asks; it denies nothing


def keywords(text: str) -> list[str]:
    """List the words of a question that a search needs, in order: content, attributes, verbs, numbers, negations.

    Limits: neighbouring words of one stretch stay apart. Example: 「没带工牌能进机房吗」 → 没, 带, 工牌, 进, 机房.
    """
    chosen = [found.group() for found in _A_NOT_A.finditer(text)]
    out: list[str] = []
    for unit in phrases.units(text):
        named = unit.kind in ("content", "attribute", "verb", "number") and unit.text.strip(_SPACES)
        denied = unit.text in _NEGATION and not any(unit.text in form for form in chosen)
        if named or denied:
            out.append(unit.text)
    return list(dict.fromkeys(out))
