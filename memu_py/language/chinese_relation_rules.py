"""The patterns of relations in Chinese; words in capitals and angle brackets stand for parts of patterns."""

import re

from memu_py.language.chinese_names import TITLE_SURNAMES
from memu_py.language.english_relation_rules import Rule
from memu_py.language.relation_words import (
    CHINESE_KIN,
    CHINESE_LOSSES,
    CHINESE_SPOUSES,
    CHINESE_SWEETHEARTS,
    HUMBLE,
)

_HAN = r"\u3400-\u9fff"
_LATIN = r"[A-Za-z][A-Za-z0-9_.+#&-]*(?:\s[A-Z][A-Za-z0-9_.+#&-]*)*"
# Some names have an adverb or a preposition in them.
_CHAR = rf"(?:成都|华为|(?![{HUMBLE}])[{_HAN}A-Za-z0-9·])"
_SURNAMED = rf"[{''.join(sorted(TITLE_SURNAMES))}](?![{HUMBLE}])[{_HAN}]{{1,2}}?"
_PERSON = rf"(?:{_SURNAMED}|[小阿老][{_HAN}]{{1,2}}?|{_LATIN})"
_NOW = "(?:现在|目前|如今|一直|最近|刚刚|刚|已经|也|还|今年|去年)*"
_WHEN = "(?:这周|上周|这个月|上个月|今天|昨天|前天|今年|去年|最近|现在|前几天|周末)?"
_WHO = rf"(?:(?<![{_HAN}]){_WHEN}(?P<me>我)(?![们国司校])|(?<![{_HAN}])(?P<s>{_PERSON}))"
_KINS = "|".join(sorted(CHINESE_KIN, key=len, reverse=True))

_PARTS = {
    "HAN": _HAN,
    "LATIN": _LATIN,
    "CHAR": _CHAR,
    "PERSON": _PERSON,
    "WHO": _WHO,
    "NOW": _NOW,
    "DOES": _WHO + _NOW,
    "THING": rf"(?P<s>[{_HAN}A-Za-z0-9]{{1,12}}?(?:项目|系统|平台|团队|产品|应用|服务))",
    "O": rf"(?P<o>{_LATIN}|{_CHAR}{{1,14}})",
    "NAME": rf"(?P<o>{_LATIN}|{_CHAR}{{1,6}})",
    "PROJECT": rf"(?P<o>(?:{_LATIN}|{_CHAR}{{1,12}}?)(?:项目|系统|平台|团队|产品|公司|部门))",
    "STOP": r"(?=[，,。.！!；;、\s]|$)",
    "END": r"(?=了?[，,。.！!；;、\s]|了?$)",
    "KIN": rf"(?P<kin>{_KINS})",
    "MINE": rf"(?<![{_HAN}])我的?(?:{_KINS})(?P<s>{_PERSON}){_NOW}",
    "DOING": "(?=(?:住|在|是|去|会|喜欢|负责|搬))",
    "IS": "(?:的名字)?(?:叫做|叫|名叫|就是|是)",
    "OWN": rf"(?:(?<![{_HAN}])(?P<me>我)的?|(?<![{_HAN}])(?P<s>{_PERSON})的)",
    "BEFORE": "(?:以前|之前|曾经|曾|过去)",
    "WITH": f"{_NOW}(?:和|跟|与)",
    "JOB": "(?P<job>工作|上班|任职|就职)",
    "LEFT": "(?P<job>离职|辞职|退休|跳槽)",
    "LOST": CHINESE_LOSSES,
    "SPOUSE": f"(?:{CHINESE_SPOUSES})",
    "SWEETHEART": f"(?:{CHINESE_SWEETHEARTS})",
    "LEADS": "(?:负责|领导|带领|管理|主管)",
}
_TOKEN = re.compile(r"<([A-Z]+)>")


def _rule(predicate: str, pattern: str) -> Rule:
    denied = predicate.startswith("-")
    whole = _TOKEN.sub(lambda token: _PARTS[token.group(1)], pattern)
    return Rule(predicate.removeprefix("-"), re.compile(whole), denied)


RULES = tuple(
    _rule(predicate, pattern)
    for predicate, pattern in (
        ("works_at", "<DOES>在<O><JOB><END>"),
        ("works_at", "<WHO>[^，,。]{1,10}[，,](?:现在|目前|如今)在<O><JOB><END>"),
        ("works_at", "<MINE>在<O><JOB><END>"),
        ("works_at", "<DOES>(?:入职|加入|跳槽到|跳槽去)了?<O><END>"),
        ("-works_at", "<DOES>(?:不再|不|没有|没)在<O><JOB>了"),
        ("-works_at", "<DOES>不再在<O><JOB>"),
        ("-works_at", "<WHO><BEFORE>在<O><JOB>"),
        ("-works_at", "<DOES>从<O><LEFT>"),
        ("-works_at", "<DOES><LOST>"),
        ("-works_at", "<DOES>离开了<O><END>"),
        ("lives_in", "<DOES>住在<O><END>"),
        ("lives_in", "<MINE>住在<O><END>"),
        ("lives_in", "<DOES>(?:从<CHAR>{1,8})?(?:搬到|搬去|搬家到|定居)了?(?:在)?<O><END>"),
        ("-lives_in", "<DOES>(?:不再|不)住在?<O>了?<END>"),
        ("-lives_in", "<WHO><BEFORE>住在<O><END>"),
        ("born_in", "<WHO>(?:是)?(?:出生于|出生在)<O><END>"),
        ("born_in", "<WHO>是在<O>出生"),
        ("married_to", "<WHO><WITH><NAME><NOW>结婚"),
        ("married_to", "<DOES>(?:嫁给|娶)了<NAME><END>"),
        ("-married_to", "<WHO><WITH>(?:我的?)?<SPOUSE>?<NAME><NOW>离婚"),
        ("-married_to", "<WHO>(?:<WITH><SPOUSE>)?<NOW>离婚了<STOP>"),
        ("-partner_of", "<WHO><WITH>(?:我的?)?<SWEETHEART>?<NAME><NOW>分手"),
        ("-partner_of", "<WHO>(?:<WITH><SWEETHEART>)?<NOW>分手了<STOP>"),
        ("-partner_of", "(?<![<HAN>])(?P<me>我)的?<SWEETHEART><WITH>我<NOW>分手了<STOP>"),
        ("studied_at", "<DOES>(?:毕业于|就读于)<O><END>"),
        ("studied_at", "<DOES>在<O>(?:上学|读书|读研|读博)<END>"),
        ("speaks", "<DOES>会(?:说|讲)(?P<o>[<HAN>]{1,4}[语文话](?:[、和][<HAN>]{1,4}[语文话])*)"),
        ("hobby", "<WHO>的(?:业余)?(?:爱好|兴趣)是(?P<o>[<HAN>A-Za-z、]{1,16}?)<END>"),
        (
            "hobby",
            "<DOES>(?:很|非常|特别|最)?喜欢(?P<o>[打弹拉踢下画跑爬游唱跳钓骑滑写练][<HAN>]{1,3})<END>",
        ),
        ("likes", "<DOES>(?:很|非常|特别|最)?喜欢(?:吃|喝)(?P<o>[<HAN>]{1,5})<END>"),
        ("leads", "<DOES><LEADS>着?<PROJECT><END>"),
        ("leads", "<DOES>是<PROJECT>的(?:负责人|经理|领导|主管|总监|组长)"),
        ("leads", "<PROJECT>(?:由|是由)(?P<s><PERSON>)<LEADS>"),
        ("leads", "<PROJECT>的(?:负责人|经理|主管)是(?P<s><PERSON>)<END>"),
        ("-leads", "<DOES>不再<LEADS><PROJECT>"),
        ("uses", "<THING><NOW>(?:使用|采用|用的是|用|基于)了?(?P<o><LATIN>(?:[、和]<LATIN>)*)"),
        ("works_on", "<DOES>(?:参与|在做|开发)了?<PROJECT><END>"),
        ("founded", "<DOES>(?:创办|创立|成立)了<O><END>"),
        ("kin", "<OWN><KIN><NOW><IS><NAME><END>"),
        ("kin", "<OWN><KIN><NOW>(?:换成|变成)了?<NAME><END>"),
        ("kin", "(?<![<HAN>])(?P<me>我)的?<KIN>(?P<o><PERSON>)<NOW><DOING>"),
        ("kin", "(?<![<HAN>])(?P<o><PERSON>)是(?:(?P<me>我)的?|(?P<s><PERSON>)的)<KIN><END>"),
        (
            "kin",
            "<DOES>(?:有|养了|养着)一?[个只条位](?P<kin>狗|小狗|猫|小猫|兔子|仓鼠|儿子|女儿|姐姐|妹妹|哥哥|弟弟|朋友)"
            "[，,]?(?:名字)?(?:叫做|叫|名叫|是)<NAME><END>",
        ),
    )
)
