"""Talk that no document answers: greetings, thanks, farewells, praise, small talk, questions about the assistant.

In: a sentence in normal form. Out: whether it is talk and nothing else. A clause is talk when nothing remains of it
after its talk words are taken out and one of them carries it, or when it has, from end to end, the form of a question
about the assistant or of small talk. One clause that is neither makes the whole sentence a question.
"""

import re

from querylab.models.rules import language as lang

# Words that make a clause talk wherever they stand in it.
_CUES = (
    "你好 您好 大家好 各位好 哈喽 哈啰 哈罗 嗨 嘿 喂 早上好 上午好 中午好 下午好 晚上好 早安 "
    "午安 晚安 新年好 新年快乐 春节快乐 节日快乐 中秋快乐 生日快乐 周末愉快 "
    "周末快乐 好久不见 在吗 在不在 在么 在嘛 有人吗 有人在吗 谢谢 多谢 谢 谢了 谢啦 感谢 "
    "感激不尽 感恩 辛苦 辛苦了 有劳 劳驾 麻烦你了 麻烦您了 麻烦了 帮大忙了 帮了大忙 再见 "
    "再会 拜拜 拜 回见 回头见 明天见 下次见 改天见 下周见 后会有期 回聊 再聊 下次聊 先走了 "
    "下班了 告辞 撤了 溜了 先撤 先这样 就这样 就到这儿 就到这里 到此为止 没别的了 "
    "没有别的了 没别的事了 没事了 没别的问题了 没有问题了 没有其他问题了 没问题 好的 好嘞 "
    "好滴 好吧 嗯 嗯嗯 噢 哦 原来如此 原来是这样 说得对 不用了 不必了 不用查了 算了 抱歉 "
    "不好意思 "
    "对不起 失礼 失礼了 见谅 打扰了 打扰 打错字了 打错了 发错了 问错了 手滑 别介意 厉害 真棒 "
    "太棒 很棒 聪明 贴心 给力 靠谱 点赞 佩服 哈哈 哈哈哈 呵呵 嘻嘻 嘿嘿 呜呜 收到了 收到 "
    "有数了 心里有数了 得嘞 妥了 搞懂了 学到了 涨知识了 受教 受教了 恭喜 祝好 别客气 不客气 "
    "明白了 知道了 了解了 懂了 清楚了 "
    "在不 帮了我大忙 帮了我一个大忙 帮大忙 祝你 祝您 有你真好 thank you thanks thank "
    "嗨喽 午好 抱歉 绝了 "
    "3q 3x 88 886 ok okay hi hello hey thx thanks ty bye byebye 666 yo sorry haha"
)
# Words that make a clause talk only when it holds little else (they also open real questions).
_WEAK = (
    "早 成 对 对的 行 行了 行吧 好 好呀 可以 可以了 可以啊 啊 呃 是的 没错 强 赞 棒 牛 不错 "
    "清楚 专业 优秀 满意 有意思 懂 了解 明白 知道 没事 加油 保重 客气 可爱 完美 好用 真好 "
    "太好 太好了 "
    "喔 拜托 妥 搞定 有道理 这样啊 是这样啊 morning cool great nice good sure fine 哇 靠谱"
)
# Words that may stand beside a cue without making the clause a question.
_PADDING = (
    "我 你 您 你们 您们 咱 咱们 他 她 它 这 那 这个 那个 这样 那样 这些 这么 那么 这里 的 了 "
    "啦 呀 啊 吧 呢 吗 嘛 么 哦 噢 哈 呐 咯 哟 哇 地 得 着 过 是 就 才 又 再 也 都 "
    "还 还是 真 真的 真是 太 很 非常 十分 挺 特别 超 超级 万分 比较 有点 有些 一点 一下 "
    "一会儿 一会 一直 今天 明天 现在 刚才 刚刚 刚 先 已经 终于 最近 早就 "
    "要 想 去 来 来了 走 走了 说 讲 讲得 说得 回答 回复 解答 解释 帮 帮忙 帮助 指点 指教 耐心 "
    "详细 细心 及时 快 又快 准 又准 清楚 周到 到位 热情 照 按 办 做 看 试试 看看 "
    "问题 事 事情 别的 其他 没有 没 有 不 不用 不是 给 让 把 跟 和 对 比 多 多了 大 小 下次 "
    "改天 有空 有事 有问题 找 聊 回来 意思 态度 自己 想明白 想通 想清楚 "
    "小助手 助手 机器人 小伙伴 朋友 朋友们 亲 亲爱的 老师 大家 各位 同学 客服 新来的 新人 "
    "我的 你的 您的 百忙之中 抽空 为 因为 所以 但 但是 不过 而且 "
    "嘞 请教 马上 马上去 立刻 再想想 想想 查到了 找到了 解决了 搞定了 周末 快乐 工作顺利 安好 "
    "省得 跑一趟 打扰 看到 看见 注意到 误会 等 忙 以后 之后 随时 能 会 可能 应该 觉得 感觉 个 "
    "声 句 可以 懂 了解 明白 知道 好 不错 满意 棒 "
    "到 在 里 上 出 起 后 到这儿 吃饭 睡觉 开会 干活 休息 听 听得到 听到 听见 人 这儿 那儿 "
    "那边 话 字 错 好像 好多 帮我 这次 上次 回头 一切 顺利 愉快 "
    "the a an you your very much so for that it is was all lot of now there me my i am this "
    "to job work well done welcome everyone and helped "
    "again really see later tomorrow got understood have day one perfect awesome appreciate "
    "help right makes sense no problem never mind nvm ciao goodnight night afternoon evening "
    "dear"
)
_YOU = r"(?:你|您|小助手|这个(?:机器人|助手|系统)|你这(?:个)?(?:机器人|助手|系统))"
_WHAT = r"(?:什么|啥|哪些|哪方面|哪类|哪几|多少|何种|几种|干嘛|干啥)"
_THINGS = (
    r"(?:样|样的|的|别的|其他|方面|问题|事|事情|忙|东西|功能|本事|本领|能力|技能|特长|用|用处|"
    r"内容|资料|话题|领域|类型|语言|信息|呢|啊|呀|嘛|吗|来着)*"
)
_END = r"(?:了|啊|呀|啦|的|哦|哈|呢|吧|呗|嘛|吗|么|死|坏|透|着)*"
_CALM = r"[^，,查问帮告怎多哪几谁何吗定规费]{0,8}"  # a tail that asks for nothing

# Questions about the assistant: what it can do, how it is used, what it knows.
_CAPABILITY = re.compile(
    "|".join(
        (
            rf"(?:请问|那|除了[^，,]{{1,8}})?{_YOU}(?:都|还|究竟|到底|一般|平时)*(?:能够|能|会|可以|"
            rf"懂|擅长|知道|支持)(?:还|再|帮我|给我|为我|替我|帮忙|帮|给|帮到我)*"
            rf"(?:查|做|干|回答|解答|提供|处理|问|解决|办|说|讲|聊)*(?:到|得了)?(?:些|"
            rf"点)?{_WHAT}{_THINGS}",
            rf"(?:我)?(?:还)?(?:可以|能|该|应该)?(?:怎么|如何|怎样)(?:使用|用|跟|和|问|玩|称呼)(?:你|"
            rf"您)(?:聊|说话|提问|沟通|用)?{_END}",
            rf"{_YOU}(?:是)?(?:怎么|如何)(?:用|玩|工作|使用|运作|训练|称呼)(?:的)?{_END}",
            rf"(?:我)?(?:还)?(?:可以|能)(?:问|跟|向|让)(?:你|您)(?:聊|问|提|做|查|帮我)?(?:些|"
            rf"点)?{_WHAT}{_THINGS}",
            rf"(?:请|麻烦|能|能不能|可以)?{_YOU}?(?:先)?(?:做个|来个|来段|简单|给我|给大家|能|"
            rf"可以)*(?:自我介绍|介绍(?:一下|下)?{_YOU}?自己(?:的功能|的能力)?|介绍(?:一下|"
            rf"下){_YOU}(?:的功能|的能力)?)"
            rf"(?:一下|下)?{_END}",
            rf"{_YOU}(?:都)?有(?:什么|哪些|啥)(?:功能|本事|能力|本领|用处|用|技能|特长){_END}",
            rf"{_YOU}的?(?:功能|资料|知识|数据|信息|答案|回答|知识库|能力|回答的(?:东西|内容|话)?|"
            rf"说的(?:东西|话)?)(?:都)?(?:是)?"
            rf"(?:从哪(?:里|儿)?(?:来|找|学)(?:来)?|靠谱|准确?|可靠|可信|多久更新|更新|真的|对|"
            rf"会不会错|有没有错)(?:的|不准|不靠谱|不)*{_END}",
            rf"{_YOU}(?:还)?(?:能|会)?记(?:得|不记得|住)(?:住)?(?:我|上次|刚才|之前|"
            rf"我们)[^，,]{{0,10}}",
            rf"{_YOU}(?:还)?(?:能不能|会不会|可不可以|支不支持|能|会|可以|支持)(?:帮我|给我|"
            rf"陪我)?(?:看|听|说|讲|写|画|唱|联|上|翻译|生成|编|读|聊|语音|学习|思考|发|打|背|玩|算|"
            rf"做)*(?:一下|一|个|首|段|篇|点|几句)*"
            r"(?:图片|图|照片|语音|视频|英语|英文|中文|日语|方言|外语|诗|歌|故事|笑话|代码|作文|画|"
            r"文章|小说|网|上网|联网|聊天|天|数学题|作业|游戏|表情包|古诗|儿歌|翻译|算命|饭)"
            rf"{_END}",
        )
    )
)
# Small talk: who are you, moods, weather, jokes, the time of day.
_SMALL = re.compile(
    "|".join(
        (
            rf"{_YOU}(?:到底|究竟|真的)?(?:是|叫)(?:不是)?(?:谁|什么(?:名字|东西|模型)?|啥(?:名字)?|"
            rf"个?真人|个?机器人|人|个?人工智能|ai|男的?|女的?|哪个|哪家公司[^，,]{{0,4}}|"
            rf"谁[^，,]{{1,6}}的)"
            rf"(?:还是(?:真人|机器人|人|ai|女的?|男的?|人工|程序))?{_END}",
            rf"{_YOU}(?:今年|现在)?(?:几岁|多大|多少岁|哪里人|住哪(?:里|儿)?|结婚|"
            rf"有(?:没有)?(?:女朋友|男朋友|对象|朋友|感情|名字|爱好|家人|梦想|意识))(?:没有|"
            rf"没)?{_END}",
            rf"{_YOU}(?:也|会|会不会|今天|最近)*(?:喜欢|吃饭|吃|睡觉|睡|累|困|开心|高兴|难过|无聊|"
            rf"寂寞|怕|好吗|过得){_CALM}{_END}",
            rf"{_YOU}(?:可|真|很|太|挺|好|最|怎么这么|比[^，,]{{1,6}})*(?:棒|好|强|聪明|贴心|可爱|"
            rf"厉害|专业|漂亮|好用|有趣|有意思|懂我|给力|笨|傻)(?:多|极)?{_END}",
            r"(?:你|您)?(?:给|跟|和|陪|再给|快给|能给|可以给|能不能给|能跟|能和|能陪|可以跟|"
            r"可以陪)?(?:我|我们|大家)?(?:再)?(?:讲|说|来|唱|聊|写|背|念|编)(?:个|一个|段|一段|首|"
            r"一首|点)?(?:冷笑话|笑话|故事|段子|歌|诗|聊天|天|绕口令|谜语)(?:听听|好吗|行吗)?" + _END,
            rf"(?:无聊)?陪我(?:聊|说|玩)[^，,]{{0,6}}|(?:咱们?|我们)?(?:随便)?聊(?:聊天|会儿?天|天|聊|"
            rf"会儿)(?:好吗)?{_END}",
            r"(?:哎|唉)?(?:我)?(?:今天|今儿|最近|现在|刚才|昨晚|这几天|好像|感觉|我|真的|真是|真|"
            r"有点儿?|有些|好|很|太|挺|特别|超|非常|不太|不)*"
            r"(?:无聊|郁闷|心烦|好烦|烦死|累|困|饿|口渴|开心|高兴|难过|伤心|尴尬|紧张|焦虑|孤单|孤独|"
            r"想哭|激动|兴奋|倒霉|没睡好|失眠|没胃口|头疼|想(?:上班|睡觉|下班|回家|放假)|(?:心情|状态|"
            r"运气)(?:不|真|很|挺|还|太|特别|非常|有点)*(?:好|错|差|糟|低落|一般))" + _END,
            r"(?:今天|今儿|明天|外面|外头|最近|窗外|这边|现在|这)+(?:的)?(?:天气|天儿?|太阳|雨|雪|风|"
            r"空气)?(?:真|好|很|太|又|不|挺|有点|可真|越来越|正在|在|要|下|刮)*(?:热|冷|大|雨|雪|风|"
            r"晴|阴|闷|凉快|不错|暖和|出太阳|打雷|起雾)" + _END,
            rf"(?:今天|明天|外面|最近|这)*(?:的)?天气(?:真|好|很|太|不|挺|怎么|有点|还)*(?:好|热|冷|"
            rf"差|样|怎样|如何|怎么样|不错|糟)?{_END}|(?:又)?(?:下雨|下雪|刮风|打雷|降温|好热|好冷|"
            rf"真热|真冷|太热|太冷){_END}",
            rf"(?:今天|现在|今儿)(?:是)?(?:星期|周|礼拜)几{_END}|现在(?:是)?几点(?:钟)?{_END}|"
            rf"今天(?:是)?(?:几号|什么日子|几月几号){_END}",
            r"(?:我)?(?:刚刚?|才)(?:跑完步|吃完饭|吃饱|开完会|睡醒|起床|下班|到家|健身完|运动完|忙完|"
            r"加完班|到公司)"
            + _END
            + r"|(?:腿|腰|肩膀|头|眼睛|手|嗓子|肚子|脖子)(?:都|好|有点|有些|也|真|快)*(?:软|酸|疼|痛|晕|"
            r"花|麻|累|哑|断)" + _END,
            rf"(?:周末|假期|周五|星期五|春天|冬天|夏天)(?:终于|总算|快|就要|要|马上)*(?:到|来|结束|"
            rf"过完|开始){_END}|(?:终于|总算|马上|快要|快)+(?:要)?(?:放假|下班|周末|周五|发工资|过年|"
            rf"解放|结束|到周末|忙完){_END}",
            rf"(?:我)?(?:中午|晚上|早上|今天|明天)*(?:该)?(?:吃|喝)(?:什么|啥|点啥|"
            rf"点什么)(?:好)?{_END}|(?:我)?(?:爱|想|喜欢|讨厌)(?:你|您|上班|下班|周一|周末){_END}",
            rf"(?:我)?(?:先)?(?:要|想|得)?(?:去)(?:吃饭|睡觉|开会|干活|休息|摸鱼|喝水|喝咖啡|"
            rf"忙){_END}|(?:我)?(?:先)?(?:下班|摸鱼|开溜){_END}",
            r"(?:我)?(?:就|只是|随便|来)*(?:测试|试试|测一下|试一下|随便看看|随便聊聊|随便问问|逛逛|"
            r"打酱油的?|路过)(?:一下|而已|的)*|(?:没什么|没啥)(?:事|问题|了)?",
            r"(?:你|您|这)?(?:说|讲|回答|答|解释|写|介绍|做)得(?:真|很|太|非常|挺|蛮|特别|又|还|"
            r"都)*(?:好|清楚|准确?|对|快|细|详细|到位|明白|专业|不错|棒|有道理|全面|通俗易懂|"
            r"又快又准)+" + _END,
            rf"(?:大家|各位|同学们|老师们?|小助手|你们?)?早(?:上好|安)?{_END}(?:大家|各位|"
            rf"小助手)?{_END}|(?:我)?(?:又|终于)?(?:回来|来|上线)了{_END}",
            rf"{_YOU}?(?:最近|今天|近来)?(?:还好|过得好|过得怎么样|过得如何|好不好|在忙|忙不忙){_END}|"
            rf"{_YOU}?最近(?:怎么样|如何|好){_END}|几点了{_END}",
            rf"(?:唉|哎|哎呀)?(?:好|真|心)(?:累|烦|塞|难)(?:人)?{_END}|(?:唉|哎|哎呀|呜呜)|(?:周一|"
            rf"星期一|今天)*(?:真|好|一点都|完全)*(?:不想|想|懒得)(?:上班|下班|起床|动|干活|加班|"
            rf"工作){_END}",
            rf"(?:祝|愿)(?:你|您|大家|各位)?(?:周末|假期|节日|工作|生活|天天|一切|万事|新年|"
            rf"身体)*(?:愉快|顺利|开心|快乐|健康|如意|好){_END}",
            rf"教教我{_END}|(?:我)?(?:是)?(?:新来的|新人)",
        )
    )
)
# Courtesy that takes a whole clause: arriving, leaving, slips of the finger, praise of the answer.
_GOOD = (
    r"(?:好|棒|强|高|快|准|赞|牛|绝|稳|细|详细|专业|聪明|贴心|可爱|厉害|不错|满意|给力|好用|"
    r"好听|靠谱|有用|有帮助|有趣|及时|实用|方便|清楚|到位|优秀|完美|周到|耐心|管用|清晰|大|"
    r"暖心|省心)"
)
_VERY = (
    r"(?:可|真|真是|真的|很|太|挺|好|最|超|超级|非常|特别|相当|蛮|够|还|又|这么|都|确实|果然|"
    r"简直|越来越)*"
)
_SOON = (
    r"(?:周[一二三四五六日天]|下周|明天|明儿|后天|改天|回头|待会儿?|等会儿?|一会儿?|下次|有缘|"
    r"以后|晚点|有空|有机会|江湖)"
)
_COURTESY = re.compile(
    "|".join(
        (
            rf"{_SOON}(?:再)?(?:见|聊|会|找你|找您|来找你|来找您|来请教你|来请教您|请教|来|说|"
            rf"联系){_END}|(?:下次|以后)?(?:有问题|有事|需要)?(?:我)?(?:还会|会|再)+(?:来)?(?:找|请教|"
            rf"麻烦)(?:你|您)的?{_END}",
            rf"(?:那)?(?:我|咱们?)?(?:就|先|得)*(?:走|撤|闪|溜|下|下线|挂|退下|走人|告辞|告退|忙别的|"
            rf"去忙|不聊|不打扰|不打扰你|不打扰您|不说)(?:了|啦|咯|喽)+{_END}|(?:那)?(?:今天|"
            rf"这次)?(?:就)?(?:先)?(?:聊|说|问)?到(?:这|此|这儿|这里)(?:为止|结束)?{_END}",
            rf"(?:初次见面|又见面|好久没来|好久没见|好久没聊|好久不见|打个招呼|幸会|久仰|请?多多?关照|"
            rf"请?多多?指教|(?:很)?高兴(?:认识|见到|遇到)(?:你|您)|欢迎欢迎|我来报到){_END}",
            r"(?:你|您)?(?:还|在)?没(?:休息|睡|睡觉|下班|吃饭|走)(?:吗|呀|呢|啊)+|(?:你|"
            r"您)?(?:还)?(?:在线|在不在|在不在线)(?:吗|不|么|嘛)?|(?:你|您)(?:24小时|全天|一直|晚上|"
            r"周末|半夜|平时)都?(?:在线|在|工作|上班)(?:吗|么)",
            rf"(?:不小心|刚才|刚刚|我|是我|可能|好像|又)*(?:发|点|打|输|说|搞|看|弄|问|听|写|记|按|"
            rf"发送|复制|粘贴)错(?:了|字|人|群|地方|窗口|话|内容|东西)*{_END}|(?:刚才|上面|"
            rf"前面)?(?:的|那)?(?:条|句|个|消息)?(?:当我没说|当我没问|不算|作废|忽略吧?|撤回|请忽略|"
            rf"别理我){_END}",
            rf"(?:我)?(?:刚才|刚刚)?(?:的)?(?:让|叫)?(?:你|您)?(?:久等|耽误(?:你|您)?(?:的)?时间|"
            rf"添麻烦|给(?:你|您)添麻烦|没看清楚?|没注意|没看到|没说清楚?|语气(?:不太|不|有点|"
            rf"太)?(?:好|重|冲|急|差)|态度(?:不太|不|有点|太)?(?:好|重|冲|急|差)|(?:太|有点|我太|"
            rf"有些)(?:急|着急|激动|冲动)|误会(?:你|您)?|怪我|是我的(?:错|问题)|我的错|别生气|别见怪|"
            rf"多多?包涵|请?(?:你|您)?(?:原谅|见谅|谅解)){_END}",
            rf"(?:你|您)?的?(?:这|这个|这次|对我|给我)?(?:的)?(?:回答|答案|回复|解释|效率|反应|速度|"
            rf"态度|服务态度|服务|声音|说话|脑子|水平|质量|帮助|总结|建议|讲解|"
            rf"说明)?(?:得)?{_VERY}{_GOOD}(?:极|多|爆|到家|到位|得很)?{_END}",
            rf"(?:给|必须给|我要给)?(?:你|您)?(?:点|打|一)?(?:个)?(?:大大的|大)?(?:赞|好评|五星好评|"
            rf"满分|五星)(?:一个)?{_END}|{_VERY}(?:绝|无敌|有你的|懂我|爱了|学霸|惊艳|神){_END}|(?:你|"
            rf"您)?{_VERY}(?:懂我|有你的|会说话|神|了解我){_END}|(?:就)?(?:没毛病|就是这个意思|"
            rf"正是我要的|正是我想要的|说到点子上){_END}",
            rf"(?:那|我|好|就)*(?:放心|记住|记下|懂|懂你|懂你的意思|懂你意思|有底|安心|照办|照做|了然|"
            rf"心领|先这么办|按你说的(?:办|做|来)|再(?:看看|想想|试试|确认一下|研究研究)|去(?:试试|"
            rf"看看|办|弄|处理)|自己(?:来|看|弄|想办法|解决|处理)){_END}|(?:问题|事情)?(?:已经|"
            rf"都)?(?:解决|搞定|弄好|弄明白|找到|办好){_END}",
            rf"(?:真的|真是|太|非常|十分)*(?:多亏|感谢|谢谢|谢|谢过|有劳|辛苦|麻烦)(?:了|啦)?(?:你|您|"
            rf"你们|小助手|老师|大家|兄弟|哥们|姐|哥|亲|朋友|机器人)+{_END}|(?:给我|帮我|替我)?(?:省|"
            rf"节省|节约)(?:下|了)?(?:我)?(?:好多|很多|不少|大量)?(?:时间|功夫|事|力气|麻烦){_END}",
            r"(?:呜|唉|哎|啦|哈|嘿|嗯|哦|噢|呵|嘻|哇|咦|额|呃|啊|哼|噗|嗷|喵|汪|hh|6|8|1){1,12}(?:哟|"
            r"哼|呀|啊)?|(?:哈|嘿)*笑死(?:我|人)?了?",
        )
    )
)
# More small talk: about the assistant's person, about weather, food and feelings.
_CHAT = re.compile(
    "|".join(
        (
            rf"(?:你|您)(?:觉得|看|认为|知道|猜|猜猜)?我(?:是谁|怎么样|好看吗|帅吗|美吗|漂亮吗|聪明吗|"
            rf"叫什么|几岁|多大){_END}|猜猜我是谁{_END}|我是谁{_END}",
            rf"{_YOU}(?:也)?(?:会不会|能不能|需不需要|要不要|是不是|会|能|要|需要|可以|有没有|"
            rf"有)(?:也)?(?:做梦|休息|睡觉|吃饭|累|生气|疼|死|出错|犯错|犯糊涂|撒谎|骗人|骗我|说谎|"
            rf"学习|恋爱|谈恋爱|烦|难过|害怕|孤独|感情|情绪|意识|思想|自己的想法|下班|放假|工资|朋友|"
            rf"家|身体|生日|名字|失业|取代人类|取代我){_END}",
            rf"{_YOU}(?:还)?(?:能不能|会不会|可不可以|能|会|可以|听得|看得)?(?:说|听懂|看懂|懂|讲|用|"
            rf"听得懂|理解)(?:普通话|粤语|方言|外语|英文|英语|日语|法语|文言文|四川话|上海话|东北话|"
            rf"人话|我的话|我说的话|我说话|语音){_END}",
            rf"{_YOU}(?:背后|后面|底层|后台)?(?:用|是|基于|靠)(?:的|的是)?(?:什么|哪个|哪家|"
            rf"啥)(?:大)?(?:语言)?(?:模型|技术|算法|公司|原理)(?:做|开发|训练|研发|运行|工作)?{_END}|"
            rf"谁(?:创造|开发|做|发明|训练|设计|制造|研发|写)(?:了|出来|出)?(?:你|您){_END}|"
            rf"{_YOU}是(?:由)?(?:谁|哪个公司|哪家公司|哪里|什么人|哪个团队)(?:做|开发|训练|研发|设计|"
            rf"创造|制造|写){_END}",
            rf"{_YOU}(?:这里|这儿|这边)?的?(?:主要)?(?:功能|作用|用途|职责|名字|工作|任务|本职|"
            rf"服务范围|专长|特长|强项|优点|缺点)(?:都)?(?:是|有|叫)(?:什么|哪些|啥){_END}|"
            rf"{_YOU}(?:这里|这儿|这边)(?:都)?(?:能|可以)(?:查|问|做|办)(?:些|到)?{_WHAT}{_THINGS}|"
            rf"(?:有)?(?:什么|啥)(?:是)?(?:{_YOU})?(?:可以|能)(?:帮|为|给)(?:到)?我(?:做|查|"
            rf"解决)?{_END}",
            rf"(?:我)?(?:该|应该|要|可以|能)?(?:怎么|如何|怎样)(?:向|跟|和|对|问|才能问|"
            rf"才能让)?{_YOU}?(?:提问|问问题|问你问题|描述问题|聊天|说话|问)(?:问题)?(?:比较好|才好|"
            rf"才对|合适)?{_END}|{_YOU}能(?:处理|办理|解决|回答|提供|应付)(?:些)?(?:哪些|什么|"
            rf"哪类)(?:样的|类型的)?(?:业务|问题|需求|事情|任务|请求){_END}",
            r"(?:外面|今天|窗外|现在|最近|昨晚|这几天|这天|今年|这|天气|天|早上|晚上|夏天|"
            r"冬天)*(?:的)?(?:好|真|太|可真|这么|好像|又|突然|怎么)*(?:大的|大|热|冷|闷|潮|干燥|晒|"
            r"凉|暖和|凉快|舒服|变化好大|变天|变冷|变热|升温|降温|转凉)(?:的)?(?:雨|雪|风|雾|太阳|天|"
            r"天气|霾)?(?:啊|呀|呢|今天|最近|这几天|了|啦|吧|哦)+",
            rf"(?:外面|今天|窗外|现在|哇)*(?:好|真|太|这么)大的?(?:雨|雪|风|雾|太阳){_END}|(?:最近|"
            rf"这几天|今年)?(?:的)?天气(?:变化|温差)(?:好|真|太|很)大{_END}|(?:上班|工作|加班|学习|"
            rf"写报告|今天|打工|生活|开会)(?:好|真|太)(?:累|烦|难|困|无聊|忙|苦){_END}",
            r"(?:今天|最近|我|上班|工作|加班|学习|生活|人生|周一|开会|打工|考试|写报告|带娃|赶路|"
            r"通勤|感觉)*(?:真的|真是|真|好|太|很|有点|超级?|特别|快|要)*(?:累|烦|难|苦|无聊|困|饿|"
            r"忙|郁闷|崩溃|心累|心塞|疲惫|疲倦|丧|emo|孤独|想哭|想睡觉|想放假|想休息|焦虑|紧张|兴奋|"
            r"幸福|满足|纠结|emo)(?:死|坏|晕|疯|炸)?(?:了|啊|呀|啦|哦|呢|人|我)+(?:了|啊)?",
            rf"(?:我)?(?:今天|最近|这几天)?(?:的)?(?:心情|状态|运气|精神|胃口)(?:好|真|很|不|有点|太|"
            rf"特别|超级?|不太|挺|还)*(?:好|差|糟|低落|错|一般|烂|复杂|棒){_END}|我?(?:今天|昨天|最近|"
            rf"又|刚刚?)*(?:失恋|失眠|分手|脱单|结婚|瘦|胖|过生日|生日){_END}",
            rf"(?:今天|明天|今晚|明晚|中午|晚上|早上|午饭|晚饭|早饭|午餐|晚餐|早餐|夜宵|周末|假期|"
            rf"下班)(?:后|该|想|你说|要|去|咱们|我们)*(?:吃|喝|去哪|去哪里|去哪儿|干|做|玩)(?:什么|啥|"
            rf"点啥|点什么|玩)?(?:好|比较好|合适){_END}|(?:今天|明天|今晚|明晚|中午|晚上|早上|午饭|"
            rf"晚饭|早饭|午餐|晚餐|早餐|夜宵)(?:吃|喝)(?:什么|啥|点啥|点什么){_END}",
            rf"(?:你|您)?(?:昨晚|昨天|最近|今天)?(?:的)?(?:看|听|玩|追)?(?:过|了)?(?:那部|那场|那个|"
            rf"昨晚的|最近的|最新的)?(?:电影|电视剧|球赛|比赛|小说|动漫|综艺|游戏|演唱会|世界杯|"
            rf"奥运会)(?:你|您)?(?:看|听|玩|追)?(?:了|过){_END}|(?:你|您)(?:看|听|玩|追)(?:过|"
            rf"了)(?:[^，,]{{0,4}})(?:电影|电视剧|球赛|比赛|小说|动漫|综艺|游戏){_END}",
            rf"(?:今天|路上|早上|下班)*(?:堵车|堵|挤地铁|地铁|公交|电梯)(?:真|好|太)?(?:堵|"
            rf"挤)?死(?:了|我了|人了){_END}|(?:周末|假期|放假|节日|生日)(?:你|您)?(?:过得|"
            rf"玩得)?(?:怎么样|开心|愉快|有什么安排|有啥安排|干嘛){_END}",
        )
    )
)
_ENGLISH_MORE = re.compile(
    r"(?:understood|noted|alright|all right|cheers|much appreciated|catch you later|take care|"
    r"that(?:'s| is) all(?: i needed)?|what are you able to do|what are your (?:capabilities|"
    r"features)"
    r"|how (?:do|can|should) i (?:use|talk to) (?:you|this assistant|this bot|this chatbot)|"
    r"are you (?:chatgpt|claude|gpt|alexa|siri|human|alive)|who (?:made|built|created|"
    r"trained) you"
    r"|(?:you(?:'re| are)|that(?:'s| was| is)|this is) (?:so |really |very |pretty "
    r")?(?:amazing|awesome|great|quick|fast|helpful|useful|smart|clever|nice|kind|perfect|"
    r"impressive|brilliant|wonderful|cool)"
    r"|oops|my bad|wrong (?:window|chat|person|button)|(?:sorry|oops) (?:typo|wrong (?:window|"
    r"chat))|(?:good|nice|great) (?:to (?:see|meet) you|answer|reply|one|bot)|hi there|hello "
    r"again|how(?:'s| is) it going|what's up|good to know|will do"
    r"|(?:i(?:'ll| will)) (?:try|do) (?:that|it)|i appreciate (?:it|your help|that)|thanks "
    r"for (?:your|the) (?:help|time|answer|info|information|quick reply)|you(?:'ve| have) "
    r"been (?:very |so )?helpful|it(?:'s| is) (?:so )?(?:hot|cold|raining)(?: today)?)"
)
_ENGLISH = re.compile(
    r"(?:what can you (?:do|help(?: me)? with|answer)|who are you|what(?:'s| is) your name|"
    r"how are you(?: doing)?(?: today)?|are you (?:a |an )?(?:robot|bot|human|real|ai|"
    r"there)(?: person)?"
    r"|(?:can|do|could) you (?:(?:speak|understand) (?:chinese|english|french|german|spanish|"
    r"japanese)|sing|remember me|tell (?:me )?a joke|write (?:me )?a (?:poem|song|story))[\w "
    r"']{0,20}|tell me (?:a joke|about yourself)|nice to meet you|how old are you|what do you "
    r"do"
    r"|what (?:kind|kinds|sort|type)s? of (?:questions|things) can (?:you|i) (?:ask|answer|"
    r"do)(?: you)?|how can you help(?: me)?|what are you|see you(?: later| tomorrow| soon)?|"
    r"have a (?:nice|good|great) (?:day|weekend|one|evening)"
    r"|i(?:'m| am) (?:so |very |a bit )?(?:tired|bored|happy|sad|hungry|back|new here|done)|"
    r"that(?:'s| is| was) (?:all|great|helpful|perfect|very helpful|clear|fine|it)(?: for now|"
    r" thanks| thank you)?|that helped(?: a lot)?"
    r"|good ?bye|you(?:'re| are) (?:great|awesome|the best|so helpful|smart|funny|welcome)|"
    r"talk to you later|never mind|no (?:problem|worries)|i (?:see|got it|understand)|got it|"
    r"makes sense)"
)
_CUE_FORM = re.compile(lang.alternatives(_CUES))
_WEAK_FORM = re.compile(
    rf"(?:嗯+|哦+|那|我|就|都|也|挺|很|太|真|非常|这|还|是|又|这个|回答|"
    rf"答案)*(?:{lang.alternatives(_WEAK)})+(?:的|了|啦|呀|啊|吧|哦|嘛|多了|极了|你|您|我|很|"
    rf"挺|这个|回答|让|的意思)*(?:{lang.alternatives(_WEAK)})*{_END}"
)
_TALK_WORD = re.compile(lang.alternatives(" ".join((_CUES, _WEAK, _PADDING))))
_ASKS = re.compile(r"怎么|多少|哪|谁|几(?!句)|为什么|如何|是不是|能不能|可不可以|要不要|什么|多久")
_PRESENCE = re.compile(r"(?:在|有人|有人在|听得到|听得见|还好|忙)(?:吗|么|嘛|不)[啊呀]?$")


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
    states = [_clause(part.strip()) for part in parts]
    return bool(states) and all(states) and "carries" in states


def _clause(part: str) -> str:
    """Judge one clause: "carries" (talk by itself), "joins" (only padding words), "" (something else)."""
    if lang.is_english(part):
        if _ENGLISH.fullmatch(part) or _ENGLISH_MORE.fullmatch(part):
            return "carries"
        words = re.findall(r"[\w']+", part)
        known = frozenset((_CUES + " " + _WEAK + " " + _PADDING).split())
        if not all(word in known for word in words):
            return ""
        return "carries" if any(word in f"{_CUES} {_WEAK}".split() for word in words) else "joins"
    squeezed = re.sub(r"[\s\W_]+", "", part)
    courteous = _COURTESY.fullmatch(squeezed) and (squeezed[-1] not in "吗么" or squeezed[0] in "你您在还没")
    if courteous or _CHAT.fullmatch(squeezed):
        return "carries"
    if _SMALL.fullmatch(squeezed) or _CAPABILITY.fullmatch(squeezed) or _WEAK_FORM.fullmatch(squeezed):
        return "carries"
    lead = _CUE_FORM.match(squeezed)  # 「谢谢你能做什么」: a cue and a talk sentence without a comma
    if lead:
        rest = squeezed[lead.end() :].lstrip("了啦呀啊哈")
        if any(form.fullmatch(rest) for form in (_SMALL, _CAPABILITY, _COURTESY, _CHAT)):
            return "carries"
    if re.sub(r"[\W_]+", "", _TALK_WORD.sub("", squeezed)) or _ASKS.search(squeezed):
        return ""
    if re.search(r"[吗么]$|不$", squeezed) and not _PRESENCE.search(squeezed):
        return ""
    return "carries" if _CUE_FORM.search(squeezed) else "joins"
