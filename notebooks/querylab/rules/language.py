"""The words the rules know: closed classes of Chinese and English, and the vocabulary of office life.

In: nothing. Out: lexicons (strings of words separated by blanks, read by :func:`lexicon`) and a few helpers.
A lexicon holds words of the language, never a name, number or phrase of any corpus; each says what it is.
"""

import re
import unicodedata
from functools import lru_cache


def lexicon(words: str) -> frozenset[str]:
    """Read a blank-separated list of words as a set, for membership only (its order is never used)."""
    return frozenset(words.split())


def alternatives(words: str) -> str:
    """Write a blank-separated list of words as a regular-expression choice, longest first."""
    return "|".join(re.escape(word) for word in sorted(words.split(), key=lambda word: (-len(word), word)))


# ── Closed classes ──────────────────────────────────────────────────────────────────────────────
# Question words, standing alone or before a measure word.
QUESTION_WORDS = (
    "谁 谁家 哪 哪里 哪儿 哪个 哪些 哪位 哪几 哪一 哪种 哪类 哪级 哪份 哪项 哪天 哪家 什么 啥 "
    "怎么 怎么样 怎么着 怎样 怎么办 "
    "咋 咋办 咋样 如何 多少 多久 多长 多大 多高 多远 多快 多重 多早 多晚 几 为什么 为何 为啥 "
    "何时 何地 何处 几时 何种 什么样 什么时候 "
    "多少次 多长时间 何人 多久一次"
)
# Words that may follow a question word and belong to it (什么时候, 多少钱, 几个人).
QUESTION_TAILS = lexicon(
    "时候 时间 钱 地方 人 位 样 份 个 种 类 级 条 项 款 台 套 件 部 篇 张 次 笔 些 段 家 间 "
    "楼 层 天 周 月 年 号 点 小时 分钟 秒 "
    "元 块 块钱 工作日 个月 名 本 遍 倍 步 方面 情况 时 日 折 "
)
# Modal verbs, copulas, adverbs, prepositions, conjunctions and particles: the joints of a sentence.
FUNCTION_WORDS = lexicon(
    "能 能够 可以 可 要 需 需要 必须 须 应 应该 应当 会 得 由 是 是否 能否 可否 有 有没有 "
    "没有 没 不 不能 不可以 不用 不要 在 被 "
    "把 将 向 给 对 跟 和 与 及 以及 或 或者 还是 按 按照 根据 依照 从 到 为 让 找 用 以 于 "
    "最 最晚 最早 最多 最少 最长 最短 最高 "
    "最低 至少 至多 最迟 最快 提前 才 才能 就 都 也 还 还要 还有 再 又 只 只能 一定 一般 通常 "
    "大概 大约 到底 究竟 具体 分别 各 归 "
    "每 的 地 了 着 过 吗 呢 吧 啊 呀 嘛 么 哦 哈 吗 属于 算 叫 叫做 行 行不行 好 多 少 晚 早 "
    "如果 要是 假如 若 的话 那 那么 这 "
    "其中 之后 之前 后 前 时 里 上 下 中 内 外 所 并 而 且 但 但是 因为 所以 然后 同时 另外 "
    "此外 关于 对于 我 我们 咱们 咱 你 你们 您 "
    "自己 大家 请 一下 想 想要 知道 是不是 能不能 可不可以 要不要 需不需要 有无 何 之 等 等等 "
    "请问 来 去 可不 一 个 超过 不足 "
    "使 该 此 公司 我司 单位 本公司 主要 直接 立即 随时 另 已 已经 正在 仍 仍然 则 即 跟着 因 "
    "除了 除 经 经过 通过 至 起 止 "
)
# Third-person pronouns for people.
PERSON_PRONOUNS = "他们 她们 他 她 对方 本人 此人"
KIN = "姐 哥 叔 姨 婶 嫂 伯 爷 奶 妈 爸 大姐 大哥 阿姨 叔叔 奶奶 爷爷 大爷 大妈 大叔 大婶 师傅 老师 先生 女士 小姐 太太 师父 师太"
# What people are called by age or kinship: after a person was named, such a word means that person.
CALLED = (
    "这小伙 那小伙 这姑娘 那姑娘 小伙 老爷子 老先生 老太太 老人家 老师傅 大爷 大妈 大叔 大哥 大姐 大婶 阿姨 叔叔 小伙子 小哥 小姐姐 小姑娘 姑娘 哥们 "
    "师傅 师父 先生 女士 大夫 哥们儿 老兄 那人 这人 这俩人 那俩人 俩人 两个人 这两人 那两人 两位 二位 两口子 老板 老板娘"
)
# Third-person pronouns for things.
THING_PRONOUNS = "它们 它"
# Demonstrative stems, and the measure words that may follow them.
MEASURES = (
    "个 种 类 份 条 项 款 台 套 件 部 篇 张 次 笔 些 段 门 家 间 座 本 道 批 位 名 块 片 堂 "
    "节 则 栋 期 把 层 场 处 只 支 辆 样"
)
# Spoken openings that carry no information.
OPENINGS = (
    "请问一下 请问下 请问 您好 你好 我想问一下 我想问下 我想问问 我想问 想问一下 想问下 "
    "想问问 想问 我想了解一下 我想了解 想了解一下 "
    "我想知道 想知道 我想咨询一下 我想咨询下 我想咨询 想咨询一下 咨询一下 咨询下 我想请教一下 "
    "想请教一下 请教一下 麻烦问一下 麻烦问下 "
    "麻烦您 麻烦 劳驾 不好意思 打扰一下 打扰了 顺便问一下 顺便问下 顺便问问 再问一下 再问下 "
    "再请问 还想问一下 还想问下 还想问 "
    "帮我查一下 帮我查下 帮我看一下 帮我看下 帮我看看 帮我查查 帮忙查一下 帮忙查下 帮忙看一下 "
    "帮忙看看 能不能告诉我 能告诉我 "
    "可以告诉我 你知道 您知道 嗯 呃 额 唔 哎 欸 诶 哦 噢 啊 对了 话说 就是说 那个啥 这个嘛 "
    "谢谢 谢谢你 多谢 感谢 好的 好吧 好 行 "
    "明白了 明白 知道了 了解了 收到 我还想问 另外问一下 再帮我查一下 想请问一下 想请问 "
    "我想请问 问一下 问下 问个问题 有个问题 "
    "请教下 请教个问题 您看一下 哈喽 嗨 早上好 下午好 在吗 那我想问一下 那我想问 那请问一下 "
    "那请问 那 那么 然后呢 然后 所以 "
)
# Spoken words inside a sentence that carry no information.
INNER_FILLERS = "大概 大约 到底 究竟 其实 就是说 一下子 一下 这样子 的样子 差不多 来着"
# Sentence-final particles without question force (吗 keeps it and stays).
FINAL_PARTICLES = "呢 啊 呀 吧 哈 嘛 哦 呗 哟 哇 喔 啦 么呢 捏 哩"

# ── Office life ─────────────────────────────────────────────────────────────────────────────────
# What a role title ends in.
ROLE_SUFFIXES = (
    "组长 副组长 队长 班长 主管 负责人 经理 总监 主任 部长 处长 科长 局长 院长 校长 馆长 所长 "
    "站长 店长 厂长 会长 行长 社长 台长 园长 "
    "总裁 总经理 董事长 总工 总工程师 工程师 架构师 专员 专家 助理 秘书 管理员 审核员 审批人 "
    "审核人 批准人 签批人 签字人 经办人 对接人 联系人 "
    "接口人 发起人 申请人 责任人 牵头人 值班员 安全员 保管员 资料员 调度员 协调员 讲师 教师 "
    "老师 教授 导师 辅导员 班主任 医生 医师 护士长 护士 "
    "药师 会计 出纳 律师 法务 顾问 主席 书记 代表 委员 官 站务员 馆员 库管 客服 前台 保安 "
    "保洁 采购员 教练 裁判 主编 编辑 审计师 分析师 "
    "产品经理 监理 督导 技师 技术员 操作员 检验员 质检员 监督员 监护人 审计员 负责同事 HRBP 外教 管家 房东 中介 主播 船长 机长 领队 导游 译审 主播 兽医 主厨 大厨 舰长 舵手 队员 组员 护林员 声部长 水手长 传承人 策展人 经纪人 评委 乐手 歌手 鼓手 水手 助手 飞手 徒弟 学徒 老板 警官 法官 书记员 助教 观测员 选手"
)
# What an organisational unit ends in.
UNIT_SUFFIXES = (
    "部门 部 处 科 室 组 委员会 小组 中心 团队 办公室 分公司 子公司 事业部 事务所 学院 学校 "
    "医院 支队 大队 班组 服务台 窗口 局 院 馆 行 "
    "工会 招生办 秘书处 工作组 办 项目组 委 所 客服 前台"
)
# What a document is called.
DOCUMENT_SUFFIXES = (
    "制度 规定 规范 办法 细则 手册 指南 标准 准则 条例 章程 守则 规程 规则 须知 方案 预案 "
    "指引 流程 政策 清单 协议 合同 说明书 说明 公约 通知 "
    "文件 条款 规约 目录 计划"
)
# What a place ends in.
PLACE_SUFFIXES = (
    "楼 层 室 厅 馆 园区 园 中心 机房 仓库 库房 食堂 餐厅 前台 窗口 会议室 办公室 办公区 大厅 "
    "车间 实验室 教室 操场 校区 院区 站 机场 酒店 宾馆 "
    "市 省 城市 区 县 码头 工地 现场 宿舍 健身房 图书馆 车库 停车场 休息室 诊室 病房 药房 "
    "档案室 服务台 服务中心 基地 网点 门店 柜台 超市 广场 支行 分行 分店 分馆 站点 公园 花园 码头 大楼 校门 柜 营地 景区 校 考场 餐馆"
)
# The whole of a place, which names none of its parts.
SCOPES = lexicon(
    "全市 全国 全省 全区 全校 全院 全馆 全店 全城 本市 本校 本院 本馆 本店 本区 小区 学校 医院 各处 全程 各地 当地"
)
# People by kind, as classes that rules speak of.
PERSON_KINDS = (
    "员工 实习生 外包 外包人员 正式工 临时工 新人 老员工 学生 研究生 本科生 博士生 硕士生 "
    "留学生 教师 老师 患者 病人 家属 访客 客户 会员 用户 "
    "成员 人员 居民 业主 租户 租客 住户 读者 司机 乘客 供应商 承包商 合作伙伴 候选人 应届生 "
    "毕业生 管理层 高管 领导 同事 职工 工人 志愿者 孩子 "
    "儿童 老人 成人 未成年人 孕妇 女员工 男员工 顾问 退休人员 劳务派遣 派遣工 兼职 全职 游客 "
    "买家 卖家 商家 顾客 旅客 学员 家长 车主 观众 申请人 试用期员工 合同工 经理 主管"
)
# Times by kind: an ellipsis such as 「周末呢」 asks the same question for another time.
TIME_KINDS = (
    "周末 五一 十一 端午 中秋 清明 元宵 双休日 长假 工作日 节假日 假期 春节 国庆 元旦 寒假 暑假 平时 平日 晚上 夜间 白天 上午 下午 中午 "
    "早上 凌晨 今年 明年 去年 本月 下月 上月 下周 上周 "
    "周一 周二 周三 周四 周五 周六 周日 夏天 冬天 夏季 冬季 旺季 淡季 月底 月初 年底 年初 "
    "年末 季度末 高峰期 试用期 法定节假日 非工作时间 工作时间 "
    "明天 今天 后天 昨天 上学期 下学期 学期末 期末 期中"
)
# Places by kind.
PLACE_KINDS = (
    "国内 国外 国际 海外 境外 境内 本地 外地 异地 市内 市外 省内 省外 校内 校外 线上 线下 室内 "
    "室外 港澳台 港澳 总部 分公司 城区 郊区 内网 外网 "
)
# Nouns that name a property of a thing; alone they need an owner (「额度是多少」: of what?).
ATTRIBUTES = lexicon(
    "上限 下限 限额 额度 标准 期限 时限 时间 流程 步骤 程序 条件 要求 比例 费用 费 价格 价钱 "
    "金额 数量 次数 频率 频次 地址 地点 位置 "
    "电话 号码 手机号 邮箱 邮件 分机 分机号 工位 联系方式 联系电话 微信 负责人 审批人 材料 "
    "资料 手续 范围 规定 规则 办法 制度 方式 方法 "
    "渠道 入口 有效期 周期 处罚 惩罚 罚款 罚金 罚则 后果 区别 差别 不同 差异 定义 含义 意思 "
    "原因 理由 依据 目的 名字 姓名 全名 工号 楼层 职位 职务 职责 "
    "部门 上级 领导 主管 长度 大小 尺寸 重量 格式 模板 样式 例外 特例 特殊情况 限制 人数 名额 "
    "天数 年限 押金 利息 利率 税率 税 折扣 优惠 押 钱 "
    "日期 开始 结束 截止 截止日期 截止时间 开放时间 工作时间 营业时间 状态 进度 结果 内容 "
    "版本 类型 种类 级别 等级 分类 档次 标题 编号 单号 单子 表格 表 "
    "申请表 附件 证明 证据 凭证 签字 签名 盖章 审批 责任 权限 权利 义务 好处 坏处 优点 缺点 "
    "优势 劣势 风险 影响 作用 用途 功能 特点 链接 网址 网站 "
    "文件 文档 人 东西 事 事情 事项 问题 情况 时候 地方 单位 原件 复印件 副本 细节 详情 依据 "
    "门槛 资格 补贴 补偿 赔偿 总额 总量 "
    "数目 年龄 学历 顺序 优先级 响应时间 处理时间 时长 小时 工作日 天 元 个月 周 月 年 间隔 首付 定金 订金 尾款 租金 月供 年费 月费 运费 手续费 服务费 工本费 违约金 滞纳金 "
    "成本 预算 收费 免费 全部 部分 其他 其它 其余 别的 别人 他人 "
    "本人 代理人 途径 口径 形式 角色 岗位 层级 环节 理由书 说明 备注 过程 步 例子 规模 规格 "
    "型号 来源 去处 人员 谁 多久 结论 "
    "现场 网上 当天 当场 本地 异地 家里 自己 中途 全额 半价 原价 小时 次 年龄 "
    "频道 场合 场景 场所 情形 前提 先决条件 技巧 注意事项 禁忌 书面 口头 纸质 电子版 电子 "
    "线上 线下 网上 "
)
# Verbs of procedure; alone they need an object (「怎么申请」: apply for what?).
PROCESS_VERBS = lexicon(
    "申请 审批 办理 提交 领取 批准 审核 通过 生效 处理 使用 取消 修改 更改 变更 延期 续期 "
    "退回 退 补办 开通 关闭 注销 撤销 撤回 确认 登记 备案 报备 查询 "
    "查 查看 看 找 联系 通知 负责 管 管理 批 签 签字 盖章 签批 同意 决定 填 填写 写 交 缴 "
    "缴纳 付 支付 收 收取 收费 拿 取 领 用 做 办 弄 搞 算 计算 "
    "恢复 保留 保存 存 留 存放 放 删除 清理 更新 升级 检查 审查 复核 核对 评估 评审 上报 汇报 "
    "报告 投诉 申诉 反馈 预约 预订 预定 约 订 改 换 更换 转 "
    "转让 结转 累计 累积 延长 缩短 提高 降低 增加 减少 调整 分摊 分期 退款 退还 归还 还 借 "
    "借用 租 买 购买 报 报名 报销 补 补交 补报 补签 代办 代替 代 "
    "代领 委托 打印 下载 上传 导出 导入 配置 设置 安装 启动 停止 重启 执行 完成 开始 结束 到 "
    "到账 发 发放 下发 发布 公布 签发 送 寄 送达 参加 进入 "
    "离开 享受 适用 遵守 执行 触发 重置 验证 测试 解释 解决 区分 判断 拆分 合并 跨 打 问 说 "
    "走 走流程 跑 兑换 兑现 折现 抵扣 扣 扣除 免 减免 豁免 "
    "限制 允许 禁止 要求 规定 拒绝 驳回 叫 称呼 休 休完 用完 请 请假 拿到 收到 办好 办完 带 "
    "携带 准备 提供 出示 证明 提 提单 排队 等 等待 响应 回复 "
    "答复 升 降 涉及 包括 包含 覆盖 支持 变 变化 存在 出现 发生 属于 找到 看到 进 出 出来 停 "
    "开 关 开放 定 规划 接 受理 接收 备份 归档 销毁 签收 "
    "参考 依据 选 选择 撤 加 减 写明 注明 带走 外借 续借 续 续签 续租 签订 解除 终止 补救 "
    "补偿 赔 赔偿 罚 处罚 扣款 补发 发还 折算 兼 兼任 担任 代班 "
)
# Conditions told by a verb alone; they ask about the topic at hand (「逾期会怎样」).
CONDITIONS = (
    "超 逾期 超期 超时 过期 到期 超过 超出 超额 超标 丢失 遗失 丢 弄丢 忘 忘记 迟到 早退 缺席 "
    "缺勤 爽约 旷工 破损 受损 不够 不足 低于 高于 少于 多于 违反 违规 没赶上 失败 拒绝 被拒 "
    "驳回 被驳回 不通过 "
    "没通过 未通过 通过 延误 延迟 迟交 晚交 晚 来不及 不交 不办 不去 不想 不同意 没有 没 损坏 "
    "坏 弄坏 出错 错过 提前 推迟 中途 不满 满 未满 不到 未 "
    "不符合 符合 不按时 未按时 没按时 不批 没批 用完 没用完 休完 没休完 剩 剩下 剩余 紧急 "
    "特殊 临时 跨 连续 累计 再次 第二次"
)
# Chinese family names, the common ones: a name must start with one.
SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏窦章苏潘葛范彭"
    "郎鲁韦马苗方俞任袁柳鲍史唐费廉岑薛雷贺倪汤殷罗毕郝安常"
    "乐于傅齐康伍余顾孟黄穆萧尹姚邵汪祁毛狄米贝戴宋庞熊纪舒屈项祝董梁杜阮蓝闵季贾江童颜郭梅盛"
    "林钟徐邱骆高夏蔡田樊胡凌霍万柯管卢莫房丁邓洪包左石崔"
    "龚程裴陆翁荀甄封芮储靳焦侯全班仰秋宁仇甘武刘景龙叶司黎薄白蒲卓池乔闻党谭申冉桑桂牛边尚温"
    "庄晏柴阎连习艾容向古易廖耿匡文广关曾沙游辛简饶卜屠邬闫佟卓岳帅缪解应宗宣郁单杭诸滕竺权宫岑冼鹿邰"
    "赖郜冀鞠丰虞雍尉路曲柏瞿乌阚栾苗沃惠仝隋苑计谷茅娄裘荣吉邢段巫仲伊臧卞鲍佘阙丛覃涂晁敖巩荆阚牟郗闻莘楚麦苟迟晋邝粟骆蔚沙祖禹"
)
DOUBLE_SURNAMES = "欧阳 上官 司马 诸葛 东方 皇甫 尉迟 公孙 慕容 令狐 端木 夏侯 司徒"

# ── Numbers ─────────────────────────────────────────────────────────────────────────────────────
UNITS = (
    "个工作日 工作日 个自然日 自然日 个月 个小时 小时 分钟 秒 天 日 周 星期 年 月 元 万元 "
    "块钱 块 次 倍 人 名 位 份 页 张 件 台 级 岁 公里 米 公斤 千克 克 "
    "吨 平方米 % ％ 折 期 号 点 时 层 楼 字 条 项 门 分 学分 字节 GB MB KB TB ms 学期 季度 晚 "
    "夜 本 遍 届 成 美元 欧元 港币 人民币 "
)
NUMBER = r"(?:\d[\d,]*(?:\.\d+)?|[一二两三四五六七八九十百千万亿半零〇]+)"
FIGURE = re.compile(
    rf"(?<![A-Za-z\d.])(?:[¥￥$€]\s*)?(?:\d[\d,]*(?:\.\d+)?(?:\s*(?:{alternatives(UNITS)}))?("
    rf"?![A-Za-z])"
    rf"|(?<!第)[一二两三四五六七八九十百千万亿]+\s*(?:{alternatives(UNITS)})|"
    rf"百分之[一二两三四五六七八九十百零点]+)"
)

LONGEST = 400
"""Characters of a question (and of one sentence of a reply or passage) that the rules read: a rule is a form of a
sentence, and no sentence is longer. A longer question is not rewritten at all."""

_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]")


def is_english(text: str) -> bool:
    """Say whether a text is to be read by the English rules: Latin letters and not one Chinese character.

    Limits: other languages in Latin script count as English. Example: "Who signs it?" yes, 「API 限流」 no.
    """
    text = unicodedata.normalize("NFKC", text)
    return bool(_LATIN.search(text)) and not _CJK.search(text)


@lru_cache(maxsize=4096)
def cut(text: str) -> tuple[tuple[str, str], ...]:
    """Cut Chinese into (word, part of speech) by the dictionary alone; the words joined give the text again.

    Without the hidden Markov model, an unknown word falls into single characters instead of swallowing a
    neighbouring function word, which is what the rules need.
    """
    import rjieba

    return tuple(  # 另外 is no part of a longer word (学费另外交)
        (word, tag) for part in re.split("(另外)", text) for word, tag in rjieba.tag(part, False)
    )
