"""What Chinese sentences in the first person say of the speaker: 我是护士, 我住在上海, 我不再喝咖啡了."""

import re
from collections.abc import Iterator, Mapping

from memu_py.language.chinese_employers import NOTHING, workplace
from memu_py.language.claim import FAIR, Claim, ClaimRule, Reading, ending, one
from memu_py.language.numbers import CHINESE_NUMBER, chinese_number
from memu_py.language.profile_words import (
    CHINESE_ANIMALS,
    CHINESE_LANGUAGES,
    CHINESE_RELATIVES,
    CHINESE_SEVERAL,
    CHINESE_TRADES,
)

UNREAL = re.compile(
    r"[?？「『“\"]|[吗呢么]\s*[。！!]?$|如果|要是|可能|也许|或许|想要|希望|打算|准备|计划|假如|假设|假装|扮演|听说|据说|"
    r"以为|梦见|梦到|比如|例如|说我|说过|问我|告诉|应该|差点|几乎|要不是|开玩笑|以前|从前|曾经|小时候|当时"
)
"""What a sentence must not have."""

_CLAUSES = re.compile(r"\s*[，,；;：:。！!（）()]+\s*")
_FILLING = re.compile(
    r"^(?:嗯|哦|其实|对了|顺便说一下|而且|所以|但是|不过|然后|另外|因为|你好|大家好|最近|现在|目前|如今)+"
)
_CALLED = re.compile(r"^(?:大家|你们?)?(?:请|可以)?叫我")
_GOES_ON = re.compile(
    r"^(?:(?:也|还|现在|目前)*(?:住在|喜欢|最喜欢|讨厌|对.+过敏|会说|会讲|养了|今年|是一名|在.+(?:工作|上班)))"
)
_ADVERB = (
    r"(?:现在|目前|已经|一直|还|也|就|很|非常|特别|最|超|真的|比较|挺|十分|都|又|才|刚刚?|终于|后来|最近|平时|其实|"
    r"去年|前年|今年|上个?月|上周|本月|(?:\d{4}|[零〇一二三四五六七八九]{4})年(?:初|底)?|\d{1,2}月(?:份|初|底)?|从|自|起|开始|在?(?=\d))*"
)
_I = rf"我{_ADVERB}"
_END = r"(?:了|的|啊|呀|哦|喔|哈|啦|呢)*[。！!~～]*$"
_PERSON = re.compile(
    r"^(?:好|坏|病|大|男|女|老|年轻|新|本地|外地|当地|普通|聪明|成年|单身|主持|负责|介绍|发言|代言|候选|合伙|证|个|中间|一)$"
)


def _things(facet: str, *, against: str = "", begin: str = "") -> Reading:
    def read(found: Mapping[str, str]) -> Iterator[Claim]:
        for part in re.split(r"[、和跟及与]", found["v"]):
            thing = part.strip("了的呢啊吧 。！!")
            if not thing or NOTHING.match(thing):
                continue
            yield Claim(facet=facet, value=f"{begin}{thing}")
            if against:
                yield Claim(facet=against, value=thing, ends=True)

    return read


def _plain(facet: str, *, dated: bool = False, confidence: float = FAIR) -> Reading:
    inner = one(facet, dated=dated, confidence=confidence)

    def read(found: Mapping[str, str]) -> Iterator[Claim]:
        if not NOTHING.match(found["v"]):
            yield from inner(found)

    return read


def _age(found: Mapping[str, str]) -> Iterator[Claim]:
    number = chinese_number(found["v"])
    if number is not None and 3 <= number <= 119:
        yield Claim(facet="age", value=str(number))


def _work(found: Mapping[str, str]) -> Iterator[Claim]:
    place = workplace(found["v"])
    if place is not None:
        yield Claim(facet="employer", value=found["v"], confidence=FAIR - 0.1 if place == "named" else FAIR)
    if found.get("o"):
        yield Claim(facet="occupation", value=found["o"])


def _trade(found: Mapping[str, str]) -> Iterator[Claim]:
    if not re.search(r"前|不|未来|准", found["v"]):
        yield Claim(facet="occupation", value=found["v"])


def _from(found: Mapping[str, str]) -> Iterator[Claim]:
    if not _PERSON.match(found["v"]) and not NOTHING.match(found["v"]):
        yield Claim(facet="origin", value=found["v"], confidence=FAIR)


def _spoken(found: Mapping[str, str]) -> Iterator[Claim]:
    for language in re.findall(CHINESE_LANGUAGES, found["v"]):
        yield Claim(facet="languages", value=language)


def _relative(found: Mapping[str, str]) -> Iterator[Claim]:
    if re.fullmatch(CHINESE_RELATIVES, found["t"]):
        yield Claim(facet="family", value=found["v"], topic=found["t"])
    else:
        yield Claim(facet="family", value=f"{found['t']}{found['v']}")


def _pet(found: Mapping[str, str]) -> Iterator[Claim]:
    yield Claim(facet="pets", value=found["t"] + found["n"])


def _status(found: Mapping[str, str]) -> Iterator[Claim]:
    yield Claim(facet="family", value=found["v"], topic="婚姻", dated=True)


def _rule(pattern: str, read: Reading) -> ClaimRule:
    return ClaimRule(pattern=re.compile(pattern), read=read)


_COUNT = r"(?:[一两二三四五几]|\d)"
_NAMED = r"(?P<v>[\u4e00-\u9fff]{1,4}?|[A-Za-z][\w ]{0,20}?)"
_SHORT_THING = r"(?P<v>[^，。]{1,16}?)"

RULES = (
    _rule(rf"{_I}从(?P<v>[^，。]{{2,15}}?)(?:离职|辞职)", ending("employer")),
    _rule(rf"{_I}离开了(?P<v>[^，。]{{2,15}}?){_END}", ending("employer", "home")),
    _rule(rf"我的名字(?:叫|是){_NAMED}{_END}", one("name")),
    _rule(rf"{_I}(?:名叫|叫做|叫)(?![你他她它车人醒]){_NAMED}{_END}", one("name", confidence=FAIR)),
    _rule(rf"{_I}(?:改名叫|改名为|改名|更名为)了?{_NAMED}{_END}", one("name", dated=True)),
    _rule(rf"(?:大家)?(?:请|可以)?叫我{_NAMED}(?:就好|就行|吧)?{_END}", one("nickname")),
    _rule(rf"{_I}(?:今年)?(?P<v>{CHINESE_NUMBER})岁{_END}", _age),
    _rule(rf"我的?生日(?:是|在)(?P<v>[^，。]*(?:月|日|号)[^，。]*?){_END}", one("birthday")),
    _rule(rf"{_I}(?:是|于)?(?P<v>\d{{4}}年[^，。]{{0,8}}?)(?:出)?生{_END}", one("birthday")),
    _rule(rf"{_I}是(?:一名|一个|一位|个|名|一)?(?P<v>[^，。的]{{0,8}}?(?:{CHINESE_TRADES})){_END}", _trade),
    _rule(rf"我的(?:职业|工作)是(?:一名|一个|一位|个|名)?{_SHORT_THING}{_END}", _plain("occupation")),
    _rule(
        rf"{_I}(?:当|做)了?(?:一名|一个|一位|个|名)?(?P<v>[^，。]{{0,8}}?(?:{CHINESE_TRADES})){_END}", _trade
    ),
    _rule(
        rf"{_I}在(?P<v>[^，。]{{2,15}}?)(?:工作|上班|任职|当(?:一名|个)?(?P<o>[^，。]{{0,6}}?(?:{CHINESE_TRADES}))){_END}",
        _work,
    ),
    _rule(
        rf"{_I}(?:从[^，。]{{2,12}}?)?(?:加入|入职|跳槽到|跳槽去)了?(?P<v>[^，。]{{2,15}}?){_END}",
        _plain("employer", dated=True),
    ),
    _rule(
        rf"{_I}(?:住在|定居在|居住在|定居于|家住)了?(?P<v>[^，。]{{2,12}}?)(?:生活|居住)?{_END}",
        _plain("home", confidence=0.9),
    ),
    _rule(
        rf"{_I}(?:从[^，。]{{2,12}}?)?(?:搬到|搬去|搬来|搬回|搬家到)了?(?P<v>[^，。]{{2,12}}?)(?:来|去|生活|居住|住)?{_END}",
        _plain("home", dated=True),
    ),
    _rule(rf"我家在(?P<v>[^，。]{{2,12}}?){_END}", _plain("home")),
    _rule(rf"{_I}来自(?P<v>[^，。]{{2,10}}?){_END}", one("origin")),
    _rule(rf"我(?:的)?老家(?:在|是)(?P<v>[^，。]{{2,10}}?){_END}", one("origin")),
    _rule(rf"{_I}是(?P<v>[^，。的]{{2,6}}?)人{_END}", _from),
    _rule(
        rf"我(?:的)?(?P<t>{CHINESE_RELATIVES}|{CHINESE_SEVERAL})(?:的名字)?(?:叫做|叫|名叫)(?![我你他她醒]){_NAMED}{_END}",
        _relative,
    ),
    _rule(
        rf"{_I}有(?P<v>{_COUNT}个(?:儿子|女儿|孩子|哥哥|弟弟|姐姐|妹妹)){_END}",
        one("family"),
    ),
    _rule(rf"{_I}(?:(?:和|跟|与)[^，。]{{1,8}}?)?{_ADVERB}(?P<v>结婚|离婚|订婚)了", _status),
    _rule(rf"{_I}(?:是)?(?P<v>单身|未婚|已婚){_END}", _status),
    _rule(rf"{_I}(?:会|能)(?:说|讲)(?P<v>[^，。]+)", _spoken),
    _rule(r"我的?母语是(?P<v>[^，。]+)", _spoken),
    _rule(rf"{_I}对{_SHORT_THING}(?:严重|轻微)?过敏{_END}", _things("allergies")),
    _rule(rf"{_I}(?:是)?(?:一个|一名)?(?P<v>素食者|素食主义者|吃素|吃纯素|乳糖不耐(?:受)?)", one("diet")),
    _rule(
        rf"{_I}(?:不|从不|从来不|不能)[吃喝](?P<v>[^，。了]{{1,8}}?)(?:的|啊)?[。！!]*$",
        _things("diet", begin="不吃"),
    ),
    _rule(rf"我(?:最)(?:喜欢|爱)的(?P<t>[^，。是]{{1,8}})是(?P<v>[^，。]{{1,16}}?){_END}", one("likes")),
    _rule(rf"{_I}(?:讨厌|不喜欢|不爱|厌恶|受不了){_SHORT_THING}{_END}", _things("dislikes", against="likes")),
    _rule(
        rf"{_I}(?:喜欢|热爱|酷爱|喜爱|爱吃|爱喝|爱看){_SHORT_THING}{_END}",
        _things("likes", against="dislikes"),
    ),
    _rule(rf"{_I}对{_SHORT_THING}{_ADVERB}感兴趣", _things("interests")),
    _rule(rf"我的?(?:业余)?(?:爱好|兴趣)(?:是|有|包括){_SHORT_THING}{_END}", _things("interests")),
    _rule(rf"我(?:今年)?的(?:目标|梦想|理想)是(?P<v>[^，。]{{2,20}}?){_END}", one("goals", confidence=FAIR)),
    _rule(
        rf"{_I}会(?P<v>(?:弹|拉|吹|打)[^，。]{{1,5}}?|游泳|滑雪|编程|画画|书法|开车|做饭){_END}",
        one("skills"),
    ),
    _rule(rf"{_I}擅长{_SHORT_THING}{_END}", _things("skills")),
    _rule(
        rf"{_I}家?(?:养|有)了?{_COUNT}[只条匹个](?P<t>[^，。]{{0,3}}?(?:{CHINESE_ANIMALS}))(?:叫(?P<n>[^，。]{{1,6}}?))?{_END}",
        _pet,
    ),
    _rule(
        rf"我[的家](?:的)?(?P<t>{CHINESE_ANIMALS})(?:的名字)?(?:叫|名叫)(?P<n>[^，。]{{1,6}}?){_END}", _pet
    ),
    _rule(rf"我的?时区是(?P<v>[\w/+:-]+){_END}", one("timezone")),
)
"""The rules, in this order; one clause is read by the first that fits."""

_NO_LONGER = (
    re.compile(r"^我(?:已经|现在|早就)?(?:不再|再也不)(?P<rest>.+?)了?[。！!]*$"),
    re.compile(r"^我(?:已经|现在|早就)?不(?P<rest>(?:喜欢|爱|住|在|是|对|养|吃素).+?)了[。！!]*$"),
)


def claims(sentence: str, names: re.Pattern[str] | None = None) -> list[Claim]:
    """Return what one sentence says of its speaker.

    Args:
        sentence: Chinese.
        names: matches the speaker's own name at the beginning of a clause, where others write of him by it.
    """
    if UNREAL.search(sentence):
        return []
    found: list[Claim] = []
    own = False
    for part in _CLAUSES.split(sentence.strip()):
        clause = _FILLING.sub("", part.strip())
        if names is not None:
            match = names.match(clause)
            clause = f"我{'的' if match['of'] else ''}{clause[match.end() :]}" if match else clause
        if own and _GOES_ON.match(clause):
            clause = f"我{clause}"
        own = clause.startswith("我") and not clause.startswith("我们")
        found += _of_clause(clause) if own or _CALLED.match(clause) else []
    return found


def _of_clause(clause: str) -> list[Claim]:
    for pattern in _NO_LONGER:
        match = pattern.match(clause)
        if match:
            held = _read(f"我{match['rest']}")
            return [claim.evolve(ends=True, dated=True) for claim in held if not claim.ends]
    return _read(clause)


def _read(clause: str) -> list[Claim]:
    for rule in RULES:
        found = list(rule.claims(clause))
        if found:
            return found
    return []
