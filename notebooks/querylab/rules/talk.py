"""Talk that no document answers: greetings, thanks, farewells, praise, small talk, questions about the assistant.

In: a sentence in normal form. Out: whether it is talk and nothing else. A clause is laid out in the words of everyday
talk, the fewest that cover it from end to end; one word that is no word of talk makes the whole sentence a question.
What the words cover is then judged by form: does it ask, whom does it speak to, does a word carry it.
"""

import re
from functools import lru_cache

from querylab.rules import language as lang

# ── The words of talk ───────────────────────────────────────────────────────────────────────────
# Greeting, thanks, farewell, apology, praise, understanding: one of them makes a clause talk.
_CUES = (
    "嗨嗨 有人不 有人没 怪不得 难怪 怨不得 晓得 晓得了 懂咯 弄清 弄清了 搞清了 弄懂 整明白 谢谢侬 夸夸 先不问 不问 受累 费心 得咧 中 "
    "你好 您好 你们好 大家好 各位好 哈喽 哈啰 哈罗 嗨 嗨喽 嘿 喂 早上好 上午好 中午好 下午好 晚上好 午好 早安 午安 "
    "晚安 新年好 过年好 又来了 又是我 好久不见 初次见面 多多关照 多多指教 请多关照 请多指教 幸会 久仰 在吗 在么 "
    "在嘛 在不 在不在 在线吗 在不在线 有人吗 有没有人 有没有人在 有人在吗 有人在 听得到吗 听得见吗 还在吗 "
    "谢谢 多谢 谢 谢了 谢啦 谢过 感谢 感激 感激不尽 感恩 多亏 辛苦 有劳 劳驾 麻烦你 麻烦您 麻烦你们 帮大忙 帮了大忙 "
    "帮了我大忙 帮了我一个大忙 救了我 省得我 再见 再会 拜拜 拜 回见 回头见 明天见 下次见 改天见 下周见 后会有期 "
    "回聊 再聊 下次聊 先聊 不聊 不说 不打扰 先走 走了 下线 告辞 告退 撤了 溜了 闪了 先撤 先忙 去忙 先挂 挂了 先睡 先这样 "
    "就这样 到这儿 到这里 到这 到此为止 没别的 没有别的 没别的事 没事 没事了 没什么事 没问题 没有问题 没有其他问题 没别的问题 "
    "好的 好嘞 好滴 好哒 好吧 嗯 噢 哦 哦哦 原来如此 原来是这样 原来这样 这么回事 怎么回事啊 这样子 说得对 不用了 不必了 不用查 不用再说 "
    "算了 抱歉 不好意思 对不起 对不住 失礼 见谅 包涵 原谅 打扰 打扰了 打错字 打错 发错 问错 说错 点错 点到 按错 看错 输错 听错 手滑 "
    "误触 乱按 别介意 别见怪 别生气 怪我 我的错 久等 添麻烦 当我没说 当我没问 厉害 真棒 太棒 很棒 聪明 贴心 给力 "
    "点赞 点个赞 好评 五星好评 五颗星 五星 满分 佩服 有你真好 哈哈 呵呵 嘻嘻 嘿嘿 呜呜 笑死 收到 收到了 有数 得嘞 妥了 搞懂 "
    "学到了 涨知识 长知识 长见识 受教 恭喜 别客气 不客气 明白了 知道了 了解了 懂了 清楚了 记下 记下来 记住了 放心 "
    "安心 踏实 绝了 爱了 省心 88 886 3q 3x 666 ok okay hi hello hey thx thanks ty bye byebye yo sorry 拜托了"
)
# The same, but these also stand in real sentences: they carry a clause only when it asks nothing and is short.
_WEAK = (
    "早 成 对 对的 行 行了 行吧 好 好呀 可以 可以啊 呃 是的 没错 强 赞 棒 牛 不错 清楚 专业 优秀 满意 有意思 懂 了解 明白 "
    "知道 加油 保重 客气 可爱 完美 好用 真好 太好 妥 搞定 有道理 这样啊 哇 靠谱 快 准 详细 细心 耐心 周到 到位 及时 "
    "热情 省时间 有用 有帮助 管用 方便 温柔 有趣 好玩 机灵 天才 学霸 小天才 解决 通俗易懂 惊喜 暖心 爱 不难 "
    "无敌 没毛病 神 了不起 全面 实用 稳 高效 明明白白 清清楚楚 强大 高级 先进 走心 用心 负责任 逗 幽默 有才 才华 风趣 博学 万能 服务态度 回答态度 强多 机智 霸气 温暖 亲切"
)
# Joints: they may stand beside any of the others.
_PADDING = (
    "侬 俺 弄 整 咋 讲得真 细 晚 这么晚 直接 先 夸 总算 唉 "
    "回答得 回复得 解答得 听得 看得 解释得 总结得 我 你 您 咱 咱们 我们 他 她 它 这 那 这个 那个 这样 那样 这些 这么 那么 这里 这下 的 了 啦 呀 啊 吧 呢 嘛 噢 哈 呐 咯 "
    "哟 哇 地 得 着 过 是 就 才 又 再 也 都 还 还是 真 真的 真是 太 很 非常 十分 挺 特别 超 超级 万分 比较 有点 有些 一点 "
    "一下 一会儿 一会 一直 今天 今儿 明天 昨天 昨晚 今晚 现在 刚才 刚刚 刚 先 已经 终于 总算 最近 早就 马上 立刻 这就 要 "
    "想 去 来 走 说 讲 讲得 说得 回答 回复 解答 解释 答 回 帮 帮忙 帮助 指点 指教 请教 照 按 按照 看 看看 试试 问题 事 "
    "事情 别的 其他 没有 没 有 不 不用 不是 给 让 把 跟 和 对 唉 哎 哎呀 咦 哼 诶 哎哟 东西 该 多 多了 大 小 下次 改天 有空 找 回来 意思 态度 自己 "
    "为 因为 所以 但 但是 不过 而且 以后 之后 随时 能 会 可能 应该 觉得 感觉 个 句 在 到 里 上 出 起 后 好像 好多 "
    "帮我 这次 上次 回头 一切 从 用 像 呗 罢 由 被 等 死 死了 透 坏了 极了 极 得很 真心 实在 确实 果然 简直 可真 可 "
    "怎么这么 这么快 一定 必须 请 请问 麻烦 嘞 么么 起来 下来 出来 下去 只 只是 而已 随便 第一次 又来 刚来 快 快要 总 "
    "总是 老 老是 更 最 好 半天 半夜 周到 别 前面 上面 之前 听 听到 听见 看到 看见 注意 注意到 误会 忙 家 家里 条 次 "
    "首 段 点 些 位 此 越来越 终 心里 想明白 想通 想清楚 想想 问 查 查到 找到 找到了 做 弄 弄好 对我 为我 替我 "
    "或者 除了 还能 同时 跑一趟 百忙之中 抽空 里面 到底 究竟 平时 一般 主要 时候 的话 样 各种 任何 所有 一样 差不多 可以"
)
# Whom talk addresses or speaks of: roles of a conversation, family, colleagues.
_PERSONS = (
    "大家 各位 你们 您们 同学 同学们 朋友 朋友们 亲 亲爱的 老师 师傅 医生 护士 大夫 小姐姐 姐姐 姐 哥哥 哥 大哥 大姐 阿姨 叔叔 兄弟 "
    "姐妹 哥们 宝 宝子 宝贝 美女 帅哥 客服 客服们 人工 人工客服 真人 人类 助手 小助手 机器人 小伙伴 我妈 我爸 爸 妈 爸妈 "
    "爸爸 妈妈 老婆 老公 孩子 儿子 女儿 娃 家人 家里人 爷爷 奶奶 外婆 外公 同事 同事们 辅导员 领导 老板 室友 新来的 新人 新手 男朋友 女朋友 "
    "女朋友 对象 我家"
)
# What one asks of or says about an assistant: its person, its abilities, its knowledge.
_SELF = (
    "含义 由来 别的 其他 哪国人 哪里人 国籍 有多 什么都 几种 同时 主人 父母 老家 说说话 说话 谈心 吵架 玩游戏 猜谜 新闻 星座 脾气 性格 属相 星座 身高 体重 长相 样子 "
    "几岁 多大 女朋友 男朋友 对象 功能 本事 本领 能力 技能 特长 专长 强项 优点 缺点 用处 作用 用途 职责 任务 名字 年龄 岁 性别 生日 男的 女的 男 女 "
    "家乡 爱好 梦想 感情 情感 情绪 意识 思想 想法 记忆 智商 模型 大模型 语言模型 算法 人工智能 智能 ai gpt claude 程序 公司 团队 "
    "开发 研发 训练 设计 创造 发明 资料 知识 知识库 数据 信息 内容 答案 话 说的话 消息 语言 普通话 方言 粤语 "
    "外语 英语 英文 中文 日语 法语 外国话 语音 图片 照片 图 视频 文字 表情包 笑话 冷笑话 故事 段子 歌 诗 古诗 儿歌 "
    "谜语 绕口令 代码 作文 文章 小说 画 游戏 数学题 作业 翻译 聊天 聊 聊聊 聊聊天 聊天儿 唱歌 唱 写 写诗 画画 背 念 编 "
    "联网 上网 打字 识别 听懂 看懂 读懂 听得懂 看得懂 理解 懂 会说 会讲 记得 记住 记得住 记 忘记 学习 思考 做梦 休息 睡觉 睡 "
    "吃饭 吃 下班 上班 值班 放假 累 困 无聊 孤独 寂寞 烦 生气 难过 害怕 开心 高兴 疼 死 出错 犯错 犯糊涂 撒谎 骗人 骗我 "
    "恋爱 谈恋爱 结婚 失业 取代 代替 替代 工作 干活 工资 喜欢 讨厌 颜色 动物 电影 音乐 书 看书 运动 坐火车 旅游 旅行 "
    "自我介绍 介绍 称呼 叫 提问 问问题 问你 用你 问法 使用 玩 教教我 教我 陪 陪我 更新 准确 可靠 可信 靠谱 相信 信任 "
    "支持 服务 服务范围 范围 领域 话题 业务 方面 类型 区别 几个人 红色 蓝色 黑色 好看 漂亮 帅 美 帅不帅 聊天内容 看得 听得 "
    "擅长 提供 处理 解决 真的 对话 天气预报 算命 发 办 穿 答疑 24小时 全天 白天 晚上 周末 半夜 在线 住 住在"
)
_ABILITY = lang.lexicon("听懂 看懂 读懂 听得懂 看得懂 记住 记得住 教教我 教我 陪我 用你 问你 称呼 自我介绍")
# Moods, weather and the small events of a day; one of the first list carries a clause that asks nothing.
_MOOD = (
    "堵 喝多 压力 生日 忙 吃撑 好饱 饱 发呆 无语 心慌 想家 笑 哭 无聊 郁闷 心烦 烦 烦死 累 困 饿 渴 口渴 开心 高兴 难过 伤心 尴尬 紧张 焦虑 孤单 孤独 想哭 激动 兴奋 倒霉 没睡好 失眠 "
    "没胃口 心情 心累 心塞 崩溃 疲惫 emo 期待 幸福 满足 感动 生气 热 冷 闷热 凉快 暖和 下雨 下雪 刮风 打雷 降温 变天 "
    "出太阳 大雨 大雪 大风 大雾 好大的雨 好大的雪 好大的风 好大的雾 天气 堵死 堵车 放心 放心了 担心 不放心 着急 急死 发愁 麻 软 酸 乖 可爱 期待 期盼 心疼 累成狗 "
    "笑死我 不想上班 想下班 想睡觉 想回家 想放假 不想动 懒得动 周末终于 过年 好吃 开心死 丧 苦 惨 难 难受 纠结 兴高采烈 晴 阴"
)
_DAY = (
    "外面 外头 窗外 这天 这天气 天 太阳 雨 雪 风 空气 周一 周二 周三 周四 周五 周六 周日 星期一 星期五 周末 假期 春天 夏天 "
    "秋天 冬天 早上 中午 下午 晚上 放假 上班 下班 加班 开会 起床 睡醒 睡 睡觉 吃饭 吃饱 早饭 午饭 晚饭 吃 喝 奶茶 咖啡 水 "
    "喝水 跑步 跑完步 健身 运动 考试 考完试 考完 忙完 到家 回家 出门 接孩子 带娃 做饭 洗澡 遛狗 开车 坐车 上车 下车 到站 到了 "
    "上课 下课 地铁 公交 电梯 路上 排队 排 人多 挤 堵 手机 电脑 键盘 网 信号 没电 断 断了 断网 卡 卡了 黑屏 掉线 "
    "腿 腰 肩膀 头 眼睛 手 嗓子 肚子 脖子 脚 心 哑 断 花 晕 疼 痛 时间 不早 不早了 晚了 很晚 快乐 顺利 愉快 健康 平安 生意 兴隆 身体 "
    "猫 狗 小猫 小狗 工作 工作顺利 生活 电影 球赛 游戏 天天 一天 日子 休息 干活 摸鱼 请你 请您 商量 考虑 准备 收拾 没说清楚 没说清 没看到 没看清 "
    "没注意 语气 冲 急 重 差 糟 低落 不好 不太好 运气 状态 胃口 测试 路过 逛逛 完 没睡 没休息 还没 醒 轮到 值班 忘了 想起来 "
    "功夫 力气 工夫 大问题 不然 分钟 几分钟 好梦 美梦 重复 开玩笑 玩笑 多想 喝酒 喝多 压力 生日 堵车 天气 心情 病 综合征 犯 新 旧 忙完 打电话 人工客服 别人 其他人 网上 搜 百度"
)
_ASKING = (
    "吗 么 什么 啥 哪些 哪 哪个 哪里 哪儿 哪家 哪方面 哪类 哪几 几 几个 几岁 几点 多大 多少 多久 多高 谁 怎么 "
    "怎样 如何 怎么样 为什么 干嘛 干啥 干什么 嘛用 何种 几种 能不能 会不会 可不可以 是不是 有没有 要不要 需不需要 支不支持 好不好 几个人 多少人 "
    "行不行 什么时候 什么样 哪种 对不对 多快 多聪明 咋 咋样"
)

_YOU = lang.lexicon("你 您 机器人 助手 小助手 人工智能 ai 问你 用你")
_IDENTITY = lang.lexicon(
    "谁 什么 啥 哪些 干嘛 干啥 干什么 哪方面 哪类 哪几 怎么 怎样 如何 几岁 多大 怎么样 什么样 哪里 哪儿 哪家"
)
_ABLE = lang.lexicon("能 会 可以 是 有 用 问 叫 做 干 还能 懂 查 办 帮 帮我 说 答 回答 解答 聊")
_PRESENT = lang.lexicon("在吗 在么 在嘛 在不 在不在 还在吗 有人吗 有人在吗 有人在")
_ABSENT = lang.lexicon(
    "他 她 它 这 那 这个 那个 这里 那里 里面 明天 周末 晚上 周一 周二 周三 周四 周五 周六 周日"
)  # no greeting
_LONGEST_CLAUSE = 40


def _kinds() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    lists = (
        ("cue", _CUES),
        ("weak", _WEAK),
        ("joint", _PADDING),
        ("person", _PERSONS),
        ("self", _SELF),
        ("mood", _MOOD),
        ("day", _DAY),
        ("asks", _ASKING),
    )
    for kind, words in lists:
        for word in words.split():
            table.setdefault(word, set()).add(kind)
    return {word: frozenset(kinds) for word, kinds in table.items()}


_KINDS = _kinds()
_LONGEST_WORD = max(map(len, _KINDS))


@lru_cache(maxsize=2048)
def laid_out(clause: str) -> tuple[str, ...] | None:
    """Lay a clause out in words of talk, the fewest that cover it; None when something stays uncovered.

    Limits: words are taken from the list alone, so a name made of such words counts as talk.
    Example: 「今天好冷啊」 → 今天, 好, 冷, 啊; 「今天好冷门」 → None.
    """
    best: list[tuple[str, ...] | None] = [()] + [None] * len(clause)
    for end in range(1, len(clause) + 1):
        for size in range(min(end, _LONGEST_WORD), 0, -1):
            before, word = best[end - size], clause[end - size : end]
            if before is None or word not in _KINDS:
                continue
            if best[end] is None or len(before) + 1 < len(best[end] or ()):
                best[end] = (*before, word)
    return best[-1]


# ── Forms with something unforeseen inside ──────────────────────────────────────────────────────
_ASKS = re.compile(
    r"[吗么]$|怎么|怎样|如何|多少|哪|谁|几|为什么|什么|啥|咋|多久|(\w{1,2})[不没]\1|是否|能否|可否|求|行不|可以不|[？?]"
)
_TROUBLE = re.compile(r"[没丢坏错被]|不(?!聊|说|打扰|多|急)|想要|申请|投诉|办|要求|报|问|退|换|改|查|问题|麻烦给|给我")
_WANTS = re.compile(r"我(?:想|要|需要)(?![走睡下去先回吃忙开上哭通明清你您静])")
# What the speaker does next, or does for the assistant: 「我先看看材料」, 「回头请你喝茶」.
_PLAN = re.compile(
    r"(?:那|嗯|好)?(?:我们?|咱们?|俺)(?:自己|现在|今天|明天|晚上|一会儿?|待会儿?|等会儿?|也|就|得|要|再|该|可以|还|回去|"
    r"回头|改天)*(?:先|这就|马上|去|回去|回头|得|该|再)[^，,]{1,10}|(?:回头|改天|下次|晚点|等会儿?|待会儿?)[^，,]{1,10}"
)
_WISH = re.compile(r"(?:在此)?(?:祝|愿|祝福)(?:你|您|大家|各位|你们)[^，,]{1,10}")
_GOOD = r"(?:" + lang.alternatives(_WEAK + " 厉害 聪明 贴心 给力 多 细 好") + ")"
_COMPARED = re.compile(
    rf"(?:你|您|这|这个|可|真的?)*比[^，,]{{1,8}}?(?:回答?|答|说|讲|懂|知道|反应)?得?(?:还|更|太|都|要)?{_GOOD}(?:多|太多)?(?:了|啊|呀)*"
)
_GUESS = re.compile(r"(?:你|您)?(?:来)?(?:猜|猜猜|猜一猜|猜一下|猜猜看)(?:看)?我[^，,]{0,10}")
_HAIL = re.compile(
    rf"(?:[\u4e00-\u9fff]{{0,2}}(?:{lang.alternatives(_PERSONS + ' ' + lang.ROLE_SUFFIXES)})们?)(?P<well>早上好|晚上好|早|好)?[啊呀哈]?"
)
_DONE = re.compile(r"(?:你|您)?(?:吃|睡|忙|下班|到家)(?:早|午|晚|中)?(?:饭|完)?了(?:吗|没|没有|么)(?:呀|啊)?")
_COMPOSE = re.compile(
    r"(?:你|您)(?:也)?(?:能不能|会不会|可不可以|能|会|可以)(?:帮|给|为|替)?(?:我)?(?:写|编|画|作|翻译)(?:一)?(?:个|首|篇|段|幅|句|点)"
    r"[^，,]{1,4}(?:吗|么)?"
)
_SOON = re.compile(
    r"(?:那|我们?|咱们?)?(?:周[一二三四五六日天末]|星期[一二三四五六日天]|下周|明[天儿早]|后天|改天|回头|待会儿?|等会儿?|一会儿?|下次|晚点|江湖)"
    r"(?:再)?(?:见|会|聊|说|联系)(?:了|啦|咯|吧|啊|哦)*"
)
_CLEAR = re.compile(
    r"(?:那)?(?:我|咱们?)?(?:就|大概|都)?(?:知道|明白|清楚|懂|会)(?:该|要|得|是)?(?:怎么|如何|去哪|找谁|在哪|什么|咋)[^，,]{0,6}了"
)
_CLOCK = re.compile(r"(?:今天|现在|今儿)?(?:是)?(?:星期几|周几|礼拜几|几点(?:钟)?|几号|几月几号|什么日子)(?:了|啊|呀)*")
_MEAL = re.compile(
    r"(?:你说|我|我们|咱们|今天|今晚|中午|晚上|早上|午饭|晚饭|早饭|周末|假期|下班后?)*(?:该|去|要|想)*(?:吃|喝|玩|干)(?:点)?"
    r"(?:什么|啥)(?:好|呢|呀|啊)*"
)
_TELL = re.compile(
    r"(?:你|您|能|可以|能不能|再|快|请|来|给|跟|和|陪|我|我们|大家|无聊|咱们?)*(?:讲|说|来|唱|写|背|念|编|聊|玩|画|出)(?:一|个|段|首|点|会儿?|"
    r"几句|随便)*(?:笑话|冷笑话|故事|段子|歌|诗|天|聊|绕口令|谜语|会儿?|画|游戏)(?:听听|好吗|行吗|吧|呗|呀|啊|吗|嘛)*"
)


# ── English ─────────────────────────────────────────────────────────────────────────────────────
_ENGLISH_CUES = lang.lexicon(
    "3q 3x hi hello hey yo thanks thank thx ty cheers bye byebye goodbye goodnight ciao sorry oops apologies ok okay yes yep "
    "great nice cool awesome perfect amazing brilliant wonderful helpful welcome understood noted alright fine morning "
    "afternoon evening got helped appreciate appreciated haha lol wow sure see later bored tired nevermind nvm impressive"
)
_ENGLISH_JOINTS = lang.lexicon(
    "a an the so very really much lot of for your you all else lifesaver star legend it is was that this are be i am i'm im my me we to and but now "
    "there here too well done job work good day days night one have had a nice take care have in on at with again from "
    "tomorrow soon weekend time answer answers reply help info information quick fast clear makes sense problem no worries "
    "never mind saved life go must need will do try know what's up that's you're it's i'll you've been everyone dear "
    "friend today just right wrong chat window person typo bad mine great catch talk speak let leave "
    "feeling happy sad hungry hot cold raining back new done more anything else nothing as pretty kind smart clever "
    "best funny super useful long gotta going hear glad"
)
_ENGLISH_SELF = lang.lexicon(
    "you your yourself what who how are is do does can could will would are able work understand speak talk answer help "
    "name color colour food old chinese english french german spanish japanese language languages robot bot human real "
    "ai chatgpt claude gpt assistant chatbot made built created trained joke jokes sing song story poem write tell a an "
    "me us with about questions question things kind kinds sort type of ask use this i should doing today day going 's "
    "feel feelings sleep tired remember learn think alive capabilities features favorite favourite the in to for my like "
    "love meet nice have up any it male female from where born else person conversation conversations chat we why so funny there"
)
_ENGLISH_ABOUT = re.compile(
    r"\b(?:(?:are|can|could|do|will|would) you|who (?:are|made|built|created|trained) you|what (?:else )?(?:can|are|do) you|how (?:are|old "
    r"are|do) you|your (?:name|day|favou?rite|capabilities|features|job)|how (?:do|can|should) i (?:use|talk to|ask) (?:you|this)|(?:tell|sing)(?: me)?"
    r"|what (?:kinds?|sorts?|types?) of (?:questions|things)|how(?:'s| is) (?:it|your day) going|what's up|can i ask you|what's your)\b"
)
_ENGLISH_DOES = re.compile(
    r"\b(?:able|work|understand|speak|talk|answer|help|name|colou?r|old|robot|bot|human|real|ai|chatgpt|claude|gpt|joke|sing|"
    r"song|story|poem|yourself|feel|sleep|tired|remember|learn|alive|capabilities|features|going|doing|do for me|can you do|"
    r"are you|do you do|use|questions|things|up|made|built|created|trained|favou?rite)\b"
)


def is_talk(text: str) -> bool:
    """Say whether a sentence (NFKC, case folded, without emoji) is talk and nothing else.

    Rule: every clause is talk, and one of them carries it. Limits: talk in unforeseen words counts as a question, which
    costs one search; a document whose whole name is a talk word counts as talk. Example: 「辛苦啦，下次聊」 yes,
    「辛苦费怎么发」 no.
    """
    if lang.is_english(text):
        parts = [part.strip(" '\"") for part in re.split(r"[.!?,;]+", text) if part.strip(" '\"")]
    else:
        parts = [part for part in re.split(r"[，,。.！!？?；;：:、~～…—\n]+", text) if part.strip()]
    if not parts or any(len(part) > 3 * _LONGEST_CLAUSE for part in parts):
        return False
    states = [_clause(part.strip()) for part in parts]
    if not all(states) and not lang.is_english(text):  # a blank may part clauses as well: 「行 那我懂了」
        states = [_clause(piece) for part in parts for piece in part.split()]
    return all(states) and "carries" in states


def _clause(part: str) -> str:
    """Judge one clause: "carries" (talk by itself), "joins" (talk beside a clause that carries), "" (something else)."""
    if lang.is_english(part):
        return _english(part)
    squeezed = re.sub(r"[\s\W_]+", "", part)
    if not squeezed:
        return "joins"
    if len(squeezed) > _LONGEST_CLAUSE:
        return ""
    states = [judge(squeezed) for judge in (_worded, _formed, _after_a_cue)]
    return "carries" if "carries" in states else "joins" if "joins" in states[:2] else ""


def _formed(clause: str) -> str:
    """Judge by the forms that hold something unforeseen."""
    if _TELL.fullmatch(clause) and (clause[-1] not in "吗嘛" or re.search("[你您我]", clause)):
        return "carries"
    if any(form.fullmatch(clause) for form in (_WISH, _GUESS, _SOON, _DONE, _CLEAR, _COMPOSE, _CLOCK, _MEAL)):
        return "carries"
    hail = _HAIL.fullmatch(clause)
    if hail:
        return "carries" if hail["well"] else "joins"
    if _ASKS.search(clause):
        return ""
    if _COMPARED.fullmatch(clause):
        return "carries"
    return "joins" if _PLAN.fullmatch(clause) and not _TROUBLE.search(clause) else ""


def _worded(clause: str) -> str:
    """Judge a clause that is made of words of talk alone: by whom it addresses, whether it asks, what carries it."""
    words = laid_out(re.sub(r"^除了[^，,]{1,8}?(?=你|您|还)", "", clause))
    if words is None or _WANTS.search(clause):
        return ""
    kinds = [_KINDS[word] for word in words]
    has = {kind for found in kinds for kind in found}
    pure = {kind for found in kinds if "joint" not in found for kind in found}
    asks = any("asks" in found and "joint" not in found for found in kinds)
    asks = asks or (words[-1] in ("不", "没", "没有") and len(words) > 2) or (words[0] in _YOU and "还是" in words)
    if asks:
        addressed = any(word in _YOU for word in words)
        about = bool({"self", "weak"} & has) or "还是" in words
        plain = any(word in _IDENTITY for word in words) and any(word in _ABLE for word in words)
        if addressed and not {"知道", "哪个"} & set(words[:-1]) and (about or plain):
            return "carries"
        able = words[0] in ("能", "会", "可以", "能不能", "会不会", "可不可以", "怎么") or "第一次" in words
        return "carries" if able and _ABILITY & set(words) else _about_the_day(words)
    if _PRESENT & set(words) and _ABSENT & set(words):
        return ""
    if "cue" in has:
        return "carries"
    if "mood" in pure and (len(words) > 1 or kinds[0] == {"mood"}):
        return "carries"
    if any(first == "不" and "weak" in second for first, second in zip(words, kinds[1:], strict=False)):
        return ""
    if "weak" in has and not ({"self", "day"} & {kind for found in kinds if len(found) == 1 for kind in found}):
        return "carries"
    if any(word in _YOU for word in words) and ("weak" in has or ({"介绍"} | _ABILITY) & set(words)):
        return "carries"
    return "joins"


def _about_the_day(words: tuple[str, ...]) -> str:
    """Carry a question about the weather or the mood of today (「今天天气怎么样」, 「外面冷不冷」)."""
    today = any(word in ("今天", "明天", "外面", "最近", "今晚", "外头", "昨晚") for word in words)
    sky = any(_KINDS[word] & {"mood"} and "joint" not in _KINDS[word] for word in words)
    return "carries" if today and sky else ""


def _after_a_cue(clause: str) -> str:
    """Judge 「谢谢你能做什么」 and 「好的我先看看」: a cue and a clause of talk without a comma between."""
    for size in range(min(_LONGEST_WORD, len(clause) - 2), 0, -1):
        if "cue" in _KINDS.get(clause[:size], ()):
            rest = clause[size:].lstrip("了啦呀啊哈")
            return "carries" if rest and (_formed(rest) or _worded(rest)) else ""
    return ""


def _english(part: str) -> str:
    """Judge an English clause: made of cues and joints with a cue among them, or a question about the assistant."""
    words = re.findall(r"[\w']+", part)
    about = _ENGLISH_ABOUT.search(part)
    if about and _ENGLISH_DOES.search(part) and all(word.removesuffix("'s") in _ENGLISH_SELF for word in words):
        return "carries"
    if part.endswith("?") or re.match(r"(?:what|how|who|when|where|which|why|can|could|do|does|is|are|will)\b", part):
        return ""
    if not all(word in _ENGLISH_CUES or word in _ENGLISH_JOINTS for word in words):
        return ""
    return "carries" if any(word in _ENGLISH_CUES for word in words) else "joins"
