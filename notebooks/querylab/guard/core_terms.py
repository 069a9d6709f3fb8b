"""Core terms: what must survive a rewrite (names, systems, 《regulations》, figures, dates, denials, conditions).

In: a question or a rewrite. Out: its core terms, one form for all spellings of one. Rules of language; what they
compare is :mod:`querylab.guard.drift`'s.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from querylab.guard import english_terms, figures
from querylab.guard.figures import KINDS, MASKED, READ, Term
from querylab.rules import language as lang

LONGEST = 20_000
"""Characters that are looked at: a question or rewrite is far shorter, a conversation with passages rarely longer."""

_GAP = re.compile(r"〔\d〕")
"""Stands for an earlier answer in a sub-question; it is no figure of the question."""
_TITLE = re.compile(r"《\s*([^《》]{1,40}?)\s*》")
_QUOTED = re.compile(r"[「『“\"]([^「」『』“”\"]{1,16})[」』”\"]")

# ── Limits ──────────────────────────────────────────────────────────────────────────────────────
_AHEAD = rf"(?=\s*[了约近]?\s*(?:{READ}|[几多半\d]))"
"""Before a figure or a question for one: 「不到 3 天」 is a limit, 「找不到」 a denial."""
_AT_FIGURE = "(?:" + "|".join(f"(?<={READ}{unit})" for unit in ("", *"天日月年时钟周岁分元度")) + ")"

LIMIT_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (form, re.compile(pattern))
    for form, pattern in (
        # Negation inside a limit is no negation: it is read off first. One class for each side: whoever writes
        # 「超过 3 天」 as 「3 天以上」 has not left the question.
        ("≤", r"不(?:得|能|可|会|应)?(?:超过|高于|多于|大于|长于)|未超过|没超过"),
        ("≥", r"不(?:得|能|可|应)?(?:少于|低于|小于|短于|晚于)|及以上"),
        ("≤", rf"(?:不足|不满|未满|没满|不到|未到|没到){_AHEAD}|低于|少于|小于"),
        ("≥", rf"(?:超过|超出|超){_AHEAD}|(?<![超经通路])过了?(?={READ}[天日月年时钟周岁])|高于|多于|大于"),
        ("≤", r"最多|至多|顶多|最高|最长|最久|最大|上限|封顶|限额"),
        ("≤", rf"(?<!可)以内|之内|{_AT_FIGURE}内|(?<!可)以下"),
        ("≥", rf"至少|最少|起码|最低|最短|最小|下限|(?<!可)以上|{_AT_FIGURE}起|满(?=\s*{READ})"),
        ("最晚", r"最晚|最迟|截止(?:日期|时间)?"),
        ("最早", r"最早|最快"),
        (
            "只",
            r"仅限|只限|仅|只有|只能|(?<![一几每这那船])只(?![是好要剩])|唯一|单独|"
            r"(?:^|[,，是就])光(?=[\u4e00-\u9fff]{2})(?![盘线学纤碟明荣滑照电临大顾])",
        ),
        (
            "除",
            r"除了|除去|(?<![删解清扣拆排免消开剔根铲切移革])除(?![非夕草尘冰湿法名权以])|"
            r"以外|之外|除外|例外",
        ),
        ("前", rf"{_AT_FIGURE}(?:以前|之前|前)"),
        ("后", rf"{_AT_FIGURE}(?:以后|之后|过后|后)"),
        ("连续", r"连续|连着"),
        ("累计", r"累计|合计"),
    )
)  # fmt: skip
_EVERY = re.compile(r"每(?:一?个)?(天|日|晚|周|星期|礼拜|月|年|季|次|人|位|名|小时|分钟)(?!会)")
_EVERY_FORM = {"日": "天", "星期": "周", "礼拜": "周", "位": "人", "名": "人"}
TIGHT_LIMITS = lang.lexicon("以上 及以上 超过 超出 多于 高于 大于 以下 不足 不到 未满 不满 少于 低于 小于")
"""Limits that stand at a figure: where the question has the bare figure, a rewrite may not bring one."""

# ── Denials ─────────────────────────────────────────────────────────────────────────────────────
_CHOICES = re.compile(
    r"(\w{1,3}?)[不没]\1|是否|能否|可否|有无(?![需须法])|会否|要否|(?<!什么)(?<!为何)[不没](?=\s*(?:[?？。!！,，]|$))"
)
_NOT_DENIED = re.compile(
    # Twice denied is a must.
    r"不(?:得|能|可|会)不|非得|非要|"
    r"不(?:过(?!期|关|审|来|去)|错|少(?!于)|仅|但|光|只|单|断|好意思|同|一样|管|论|料|久|可抗力|限|动产|见得|锈钢|由|然|如|妨|禁|免|愧|惜|得了|得已)|"
    r"[我也还都]?[不没](?:太|大|是很)?(?:知道|清楚|明白|懂|晓得|了解)|"
    rf"不(?:足|够)(?!{READ})|"
    r"无(?:论|线|限|人机|故|缘无故|障碍|聊|奈|意|锡|非)|未(?:来|成年|必|知)|莫(?:名|非|斯科|大)|"
    r"没(?:关系|问题|事|收)|非[常法凡洲典遗]|[除莫无若是]非|差不多|了不起|对不起|来不及|怪不得|少不了|免不了|说不定|忍不住|大不了|"
    r"别(?:人|的|处|称|墅)|特别|类别|级别|个别|区别|识别|分别|性别|差别|辨别|判别|告别|送别|鉴别|"
    r"缺(?:点|陷|口|德)|[欠短稀紧]缺"
)
_DENIALS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "免",
        re.compile(
            r"不用|不需要|不需|不必|无须|无需|不要求|免于|不(?:收|要|花|交|付)(?:费|钱|押金)|"
            r"(?<![难避以未不])免(?=[打交收费签押检试考票运冠邮])"
        ),
    ),
    (
        "不",
        re.compile(
            r"不(?:得|能|可以|可|许|准|予|让|会|再|要|行)?|禁止|严禁|禁(?=[烟酒食行停带用养售入言])|谢绝|没有|没|未|无法|无|"
            r"勿|非(?=[\u4e00-\u9fff]{2})|别|拒绝|拒(?=[签付收载赔缴交接])|缺少|缺乏|缺(?=[\u4e00-\u9fff])|忘[记了]?(?=[带拿交打签关取还填])"
        ),
    ),
    ("停", re.compile("停止")),
)

# ── Conditions and names ────────────────────────────────────────────────────────────────────────
_SAME_CONDITIONS = (
    "周末 休息日 双休日",
    "国外 海外 境外 出国",
    "国内 境内 回国",
    "晚上 夜间 夜里 半夜 深夜",
    "新人 新员工 新入职人员 新入职员工",
    "外包 外包人员",
    "试用期 试用期员工",
    "节假日 法定节假日 假日",
    "平时 平日",
    "小孩 孩子 儿童",
    "应届生 毕业生 校招毕业生",
    "女员工 女职工 女工 女性员工 女性职工",
    "男员工 男职工 男性员工 男性职工",
    "孕妇 孕期 怀孕",
    "患者 病人",
    "线上 网上 在线",
    "线下 现场",
    "夏天 夏季",
    "冬天 冬季",
    "上月 上个月",
    "下月 下个月",
    "上周 上个星期 上星期 上礼拜",
    "下周 下个星期 下星期 下礼拜",
    "家属 家人",
    "供应商 供货商",
    "外地 异地",
    "工作时间 上班时间",
)
CONDITION_FORM = {word: group.split()[0] for group in _SAME_CONDITIONS for word in group.split()}
_LOOSE = lang.lexicon(
    "员工 人员 用户 成员 领导 同事 职工 工人 申请人 孩子 儿童 小孩 老师 教师 客户 会员 期末 期中 假期 经理 主管 本地 "
    "今天 明天 早上 上午 中午 下午 凌晨 工作日 月底 月初 本月 年底 年初 年末 老人 老人家 学生 现场 住户 居民"
)
"""Words that name whoever or whenever is meant anyway: a paraphrase may drop them, not exchange them."""
_CONDITIONS = re.compile(
    f"(?<!{READ})(?:"  # what a mark keeps of a figure (一周|一次) begins no word
    + lang.alternatives(
        " ".join(
            sorted(
                (
                    set(f"{lang.TIME_KINDS} {lang.PLACE_KINDS} {lang.PERSON_KINDS}".split())
                    | {word for group in _SAME_CONDITIONS for word in group.split()}
                    | lang.lexicon("正式员工 转正员工 首次 单次 临时 紧急 带薪 无薪 全额 半价 专用 本人 公费 自费")
                    | lang.lexicon("上半年 下半年 孕期 哺乳期 观察期 春季 秋季 地下 户外 前年 前天 后年 甲方 乙方")
                )
                - _LOOSE
            )
        )
    )
    + ")(?!末)"
)
_OPENINGS = lang.lexicon(lang.OPENINGS)
_COMMON_SURNAMES = (
    "王李张刘陈杨赵吴周徐孙朱胡郭何林罗郑梁谢宋唐许邓冯韩曹曾彭蔡潘董袁蒋杜苏魏吕丁沈姚卢钟崔谭廖范陆贾薛"
)
_CALLED = re.compile(rf"[小老]([{_COMMON_SURNAMES}])(?![\u4e00-\u9fff]?[区国家])")
_TITLED = re.compile(
    r"(?:老师|医生|大夫|主任|教授|经理|师傅|律师|护士|阿姨|先生|女士|总|工|姐|哥)(?![程作资人厂会部结])"
)
_TWO_CHARACTERS = re.compile(r"(?:欧阳|上官|诸葛|皇甫|尉迟|慕容|令狐|端木|夏侯|司徒)[\u4e00-\u9fff]")
_NO_PLACES = lang.lexicon(
    "东西 中断 回国 长度 日志 入口 入门 上楼 上门 午休 福利 海鲜 太阳 台风 城市 外国 哥哥 嘉宾 加密 延时 关联 建国 "
    "新建 礼拜 维度 蓝牙 长大 馆内 馆藏 馆里 黑洞 江湖 深水 吉他 拜拜 莫非 镶牙 沾边 锦旗 之日起 安宁 午安 桑拿房 "
    "偏远地区 统一安排 公共交通 公共场所 网上银行 贵宾厅 迁回来 那不"
)
_PLACES = lang.lexicon("石家庄 合肥 海口 拉萨 银川 大连 桂林")
"""Ordinary words that the dictionary has as places, and capitals and ports that it has as something else."""


@lru_cache(maxsize=4096)
def core_terms(text: str) -> tuple[Term, ...]:
    """Read off everything that must survive a rewrite.

    Args:
        text: a question, or a rewrite; the first :data:`LONGEST` characters are read.

    Returns:
        Terms in the order of :data:`querylab.guard.figures.KINDS`, with repetitions. Full-width and half-width, Arabic and
        Chinese figures, 「一年」 and 「12 个月」 have one form. An English text is read by
        :mod:`querylab.guard.english_terms`.
    """
    text = _GAP.sub(" ", text[:LONGEST])
    found: list[Term] = []
    rest = figures.spelled(text)
    readers = [_titles, figures.read, _limits, _negations, _conditions, _names]
    if lang.is_english(text):
        found, readers = english_terms.read(text), [_titles]
    for reader in readers:
        terms, rest = reader(rest)
        found += terms
    return tuple(sorted(found, key=lambda term: KINDS.index(term.kind)))


def _titles(text: str) -> tuple[list[Term], str]:
    found = [Term("title", "".join(match[1].split()), match[1]) for match in _TITLE.finditer(text)]
    text = _TITLE.sub(MASKED, text)
    found += [Term("name", "".join(match[1].split()), match[1]) for match in _QUOTED.finditer(text)]
    return found, _QUOTED.sub(MASKED, text)


def _limits(text: str) -> tuple[list[Term], str]:
    text = _NOT_DENIED.sub(MASKED, _CHOICES.sub(MASKED, text))
    found = [Term("limit", f"每{_EVERY_FORM.get(match[1], match[1])}", match[0]) for match in _EVERY.finditer(text)]
    text = _EVERY.sub(MASKED, text)
    for form, pattern in LIMIT_FORMS:
        found += [Term("limit", form, match[0]) for match in pattern.finditer(text)]
        text = pattern.sub(MASKED, text)
    return found, text


def _negations(text: str) -> tuple[list[Term], str]:
    found: list[Term] = []
    for form, pattern in _DENIALS:
        found += [Term("negation", form, match[0]) for match in pattern.finditer(text)]
        text = pattern.sub(MASKED, text)
    return found, text


def _conditions(text: str) -> tuple[list[Term], str]:
    found = [
        Term("condition", CONDITION_FORM.get(match[0], match[0]), match[0]) for match in _CONDITIONS.finditer(text)
    ]
    return found, _CONDITIONS.sub(MASKED, text)


def _names(text: str) -> tuple[list[Term], str]:
    found = [Term("name", match[0], match[0]) for form in (_CALLED, _TWO_CHARACTERS) for match in form.finditer(text)]
    text = _CALLED.sub(MASKED, _TWO_CHARACTERS.sub(MASKED, text))
    for part in text.split(MASKED):
        for (word, _), (after, _) in pairwise(lang.cut(part)):
            if word in _COMMON_SURNAMES and (title := _TITLED.match(after)):
                found.append(Term("name", word + title[0], word + title[0]))
                text = text.replace(word + title[0], MASKED)
    for word, tag in _tagged(text):
        if tag[:2] == "nr" and 2 <= len(word) <= 4 and word[0] in lang.SURNAMES and word not in _OPENINGS:
            found.append(Term("name", word, word))
    for part in text.split(MASKED):
        # Places by the dictionary alone: a guess would take many a verb for a place.
        found += [
            Term("name", word, word)
            for word, tag in lang.cut(part)
            if (tag in ("ns", "nt") and len(word) > 1 and word not in _NO_PLACES) or word in _PLACES
        ]
    return found, text


def _tagged(text: str) -> Iterator[tuple[str, str]]:
    import rjieba  # here: loading the dictionary takes longer than importing this module

    for part in text.split(MASKED):
        yield from rjieba.tag(part)
