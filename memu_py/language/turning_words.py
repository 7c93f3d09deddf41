"""Words that turn the meaning of a sentence, so that two texts must share them to say the same."""

from memu_py.language.wordlist import words

NEGATIONS = words(
    "not cannot dont doesnt didnt isnt arent wasnt werent wont cant couldnt shouldnt wouldnt aint"
)
"""Spellings of "not"; so is whatever ends in n't."""

TURNING = words(
    """
    no never none nobody nothing neither nor without hardly barely scarcely rarely seldom except but
    however although though unless if whether or instead rather than only almost nearly before after until since
    while during used stop stops stopped stopping quit quits quitting start starts started starting begin begins began
    fail fails failed refuse refuses refused avoid avoids avoided hate hates hated dislike dislikes disliked
    want wants wanted wish wishes wished hope hopes hoped plan plans planned planning would should could might may
    must need needs going gonna will shall try tries tried dream dreams dreamt dreamed think thinks thought believe
    believes believed said says say told tells asked asks pretend pretended former formerly ex fake of who whose
    whom which that because where when by from to into out off up down over under again anymore longer yet still
    already first last next same other another more less most least too won lost lend lent borrow borrowed sold
    bought buy sell left joined
    """
)
"""Negations, conditions, wishes, reports, times and directions; case folded."""

CHINESE_TURNING = frozenset(
    (
        "如果", "要是", "除非", "除了", "可能", "也许", "或者", "还是", "但是", "可是", "不过", "虽然", "因为", "所以",
        "以前", "以后", "之前", "之后", "曾经", "从前", "原来", "想", "想要", "打算", "准备", "计划", "希望", "应该",
        "必须", "停止", "戒", "戒掉", "放弃", "开始", "继续", "讨厌", "差点", "几乎", "只", "只有", "被", "把", "给",
        "对", "向", "从", "到", "的", "过", "了", "着", "会", "能", "可以", "吗", "呢", "说", "听说", "觉得", "认为",
        "借给", "卖", "买", "前任", "最", "更", "比",
    )
)  # fmt: skip

TURNING_CHARACTERS = frozenset("不没无未非别勿莫否前后")
"""Inside any Chinese word these turn its meaning, too."""

CONTINUING = words(
    "in on at with for and every each as plus together alone both around near 和 跟 与 在 并 并且 也 还 而且 还有"
)
"""Words with which a sentence may go on behind what it said."""

HARMLESS = words("非常 特别 别人 目前 无论 不错")
"""Chinese words that have such a character and yet turn nothing."""

IGNORED = words(
    "a an the is are am be been being 's very really so just quite pretty also indeed actually well "
    "很 非常 特别 十分 挺 真 也"
)
"""Words without which a text says the same."""
