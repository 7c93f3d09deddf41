"""What 在…工作 says: where somebody works, or only how, when or in which town."""

import re
from typing import Literal

from memu_py.language.chinese_names import KNOWN, PLACES
from memu_py.language.relation_words import CHINESE_ORGANISATIONS, KINDS_OF_WORKPLACES, NOT_PLACES_OF_WORK
from memu_py.language.wordlist import words

NOTHING = re.compile(r"^(?:[你您他她它咱这那]|一个|一家|家里|什么|哪|谁|自己|大家|别人|朋友|酒店|宿舍|楼)")
"""How the name of nothing begins."""
TOWNS = PLACES | words(
    "波尔图 里斯本 国外 国内 海外 家 外面 外地 一起 那里 这里 那边 这边 中关村 三里屯 浦东 浦西"
)
# 在找工作 and 在完成工作 are verbs with what they do.
_DOING = re.compile(
    r"^(?:[找换做忙搞干赶等辞]|完成|处理|从事|负责|安排|汇报|逃避|享受|讨论|带病|坚持|继续|分配|开展|寻找|努力|认真|埋头|拼命"
    r"|专心|抓紧|加紧|加班|配合|协助|交接|推进|布置|总结|熟悉|适应|参与|参加|执行|进行|热爱|重新|开始|停止|暂停|恢复|尝试)|[找换]$"
)
_OTHERWISE = re.compile(
    r"(?:行业|领域|部门|方面|环境|手下|期间|时间|夜间|车间|房间|地方|岗位|一线|压力|情况|状态|条件|[上下]午"
    r"|(?:研发|市场|销售|财务|人事|人力资源|技术|产品|运营|行政|法务|公关|采购|客服|设计|总|分)部"
    r"|[今明昨前后每白半整冬夏春秋]天|[\d一二三四五六七八九十两半几]个?[天点日月年周]|[假节工周生平]日|[去今前明每]年|上?个月"
    r"|周[一二三四五六末]|[前后外上下边起市省县区镇]|(?<!阿)里|(?<!联合)国|(?<![附一二三四五六七八九十])中)$"
)
_NAMED = re.compile(r"[\u3400-\u9fffA-Za-z0-9·]{2,8}")


Workplace = Literal["known", "named", "kind"]


def workplace(place: str) -> Workplace | None:
    """Return what a place is at which somebody works; None where it is nobody who employs.

    Args:
        place: what stands between 在 and 工作.

    Returns:
        `known` by a list or its ending, `named` by what may be a name, or `kind`: some bank or hospital.

    >>> [workplace(place) for place in ("腾讯", "米哈游", "银行", "努力", "上海")]
    ['known', 'named', 'kind', None, None]
    """
    if place in TOWNS or place in NOT_PLACES_OF_WORK or NOTHING.match(place) or _DOING.search(place):
        return None
    if place in KINDS_OF_WORKPLACES or place in CHINESE_ORGANISATIONS:
        return "kind"
    if place in KNOWN or place.endswith(CHINESE_ORGANISATIONS) or place.isascii():
        return "known"
    return "named" if _NAMED.fullmatch(place) and not _OTHERWISE.search(place) else None
