"""Words by which relations are told, or by which a sentence gives away that it tells none."""

from collections.abc import Mapping
from types import MappingProxyType

from memu_py.language.wordlist import words

KIN: Mapping[str, tuple[str, bool]] = MappingProxyType(
    {
        **dict.fromkeys(("sister", "brother", "twin"), ("sibling_of", False)),
        **dict.fromkeys(("mother", "mom", "mum", "father", "dad", "parent"), ("parent_of", True)),
        **dict.fromkeys(("son", "daughter", "child", "kid"), ("parent_of", False)),
        **dict.fromkeys(("grandmother", "grandma", "grandfather", "grandpa"), ("grandparent_of", True)),
        **dict.fromkeys(("husband", "wife", "spouse"), ("married_to", False)),
        **dict.fromkeys(
            ("girlfriend", "boyfriend", "partner", "fiance", "fiancé", "fiancee", "fiancée"),
            ("partner_of", False),
        ),
        **dict.fromkeys(("friend", "roommate"), ("friend_of", False)),
        **dict.fromkeys(("colleague", "coworker", "co-worker"), ("colleague_of", False)),
        **dict.fromkeys(("boss", "manager", "supervisor"), ("reports_to", False)),
        **dict.fromkeys(("cousin", "aunt", "uncle", "niece", "nephew"), ("relative_of", False)),
        **dict.fromkeys(
            ("dog", "cat", "puppy", "kitten", "rabbit", "parrot", "hamster", "horse", "pup", "pet"),
            ("has_pet", False),
        ),
    }
)
"""What "my … is X" says of the speaker and X, and whether the two change places."""

CHINESE_KIN: Mapping[str, tuple[str, bool]] = MappingProxyType(
    {
        **dict.fromkeys(("姐姐", "妹妹", "哥哥", "弟弟", "姐", "妹", "哥", "弟"), ("sibling_of", False)),
        **dict.fromkeys(("妈妈", "母亲", "爸爸", "父亲", "妈", "爸"), ("parent_of", True)),
        **dict.fromkeys(("儿子", "女儿", "孩子"), ("parent_of", False)),
        **dict.fromkeys(("爷爷", "奶奶", "外公", "外婆", "姥姥", "姥爷"), ("grandparent_of", True)),
        **dict.fromkeys(("老公", "丈夫", "老婆", "妻子", "太太", "爱人"), ("married_to", False)),
        **dict.fromkeys(
            ("女朋友", "男朋友", "女友", "男友", "对象", "未婚妻", "未婚夫"), ("partner_of", False)
        ),
        **dict.fromkeys(("好朋友", "朋友", "闺蜜", "室友"), ("friend_of", False)),
        **dict.fromkeys(("同事",), ("colleague_of", False)),
        **dict.fromkeys(("老板", "上司", "领导", "经理"), ("reports_to", False)),
        **dict.fromkeys(
            ("表姐", "表妹", "表哥", "表弟", "堂姐", "堂妹", "堂哥", "堂弟"), ("relative_of", False)
        ),
        **dict.fromkeys(("狗", "小狗", "猫", "小猫", "兔子", "仓鼠", "宠物"), ("has_pet", False)),
    }
)
"""The same for 我的……叫 X."""

SPOUSES = words("wife husband spouse partner")
SWEETHEARTS = words("girlfriend boyfriend partner fiancé fiancée fiance fiancee")
CHINESE_SPOUSES = "妻子|老婆|太太|爱人|丈夫|老公"
CHINESE_SWEETHEARTS = "女朋友|男朋友|女友|男友|对象|未婚妻|未婚夫"
"""Whom one divorces, and whom one breaks up with."""
CHINESE_LOSSES = (
    "(?:被(?:公司|单位|老板)?(?:裁员|裁掉|裁|开除|解雇|辞退|炒鱿鱼|炒)|失业|下岗|失去工作|丢了工作|退休|辞职|离职)"
    r"(?:了(?![以之才再])|[\d一二三四五六七八九十两半几多个]{1,5}[年月天周]了|(?=[，,。.！!；;、\s]|$))"
)
"""That one has lost a job, or given it up."""

UNSURE = words(
    """
    if unless whether would could should might may maybe perhaps possibly probably wish wishes wished hope hopes hoped
    hoping want wants wanted wanna plan plans planned planning gonna will won't shall think thinks thought thinking
    believe believes guess suppose supposed imagine imagined dream dreams dreamed dreamt pretend pretended consider
    considering considered apparently allegedly reportedly rumor rumour rumors said says say saying told tells telling
    heard hears hear claims claimed claim wrote writes asked asks almost nearly seems seem seemed someday otherwise
    i'd she'd he'd they'd we'd i'll she'll he'll they'll we'll ought going until before once character movie novel book
    film story game song joke joking kidding like-minded fake when whenever unlike instead though
    although hypothetically what which where how why because nor neither never not don't doesn't didn't isn't
    aren't wasn't no nobody than
    """
)
"""One of these, and a sentence says nothing sure."""

NOT_TOLD = words(
    """
    american british english french german italian spanish portuguese chinese japanese korean indian mexican canadian
    australian russian brazilian turkish greek dutch swedish polish irish scottish european asian african latino latina
    jewish christian catholic muslim buddhist hindu atheist vegan vegetarian republican democrat gemini leo-rising
    monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
    october november december christmas easter god ok okay
    """
)
"""Words with a capital that are nobody's name behind "is"."""

NO_HOBBY = words(
    """
    being having going doing getting seeing knowing thinking making hearing talking feeling looking living taking using
    trying working coming giving finding keeping letting putting saying telling anything something everything nothing
    watching helping spending sharing waiting bringing playing creating exploring learning meeting asking showing
    morning evening king thing spring string wedding building meaning
    """
)
"""Words in -ing after "I love" that tell no hobby, or need more to tell one."""

CHINESE_UNSURE = (
    "如果", "要是", "假如", "假设", "的话", "想", "打算", "准备", "希望", "可能", "也许", "听说", "据说", "以为",
    "觉得", "好像", "似乎", "应该", "会去", "将要", "要去", "是不是", "有没有", "谁", "什么", "哪", "吗", "呢", "?",
    "？", "差点", "梦见", "假装", "考虑", "说过", "告诉", "问我", "怀疑", "计划", "是否", "本来", "除非", "小说",
    "电影", "游戏里", "说:", "说：", "说，", "表示",
)  # fmt: skip
"""The same in Chinese, wherever they stand."""

CHINESE_ORGANISATIONS = (
    "公司", "集团", "科技", "银行", "大学", "学院", "医院", "学校", "中学", "小学", "出版社", "研究所", "研究院",
    "工作室", "事务所", "餐厅", "书店", "咖啡馆", "咖啡店", "超市", "酒店", "报社", "杂志社", "法院", "幼儿园",
)  # fmt: skip
"""Endings of what one works or studies at."""

NOT_PLACES_OF_WORK = words(
    "家 家里 努力 认真 拼命 外面 外地 国外 国内 这里 那里 这儿 那儿 公司 一家公司 单位 大公司 小公司 线上 凌晨 深夜"
    " 室外 远程 附近 一起 同一家公司 店里 办公室 辛苦 加班 周末 晚上 早上 一家 新公司 上市公司 兼职 全职 户外 工地 平时"
)
"""What 在…工作 may hold that is no place of work, or any."""
KINDS_OF_WORKPLACES = words("学校 医院 银行 大学 工厂 诊所 律所 实验室 电视台 餐厅 饭店 商店 机关 政府")
"""What it may hold that is a place of work without its name."""

HUMBLE = "了呢吗吧啊的是在和跟与有我你他她它们这那很都也就去到来说会要叫给把被让从对为"
"""Characters that no Chinese name of these rules has."""
