"""Predicates: what relations are called, and how many of each a subject may have."""

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from memu_py.records.record import Record
from memu_py.records.relation import RelationDraft


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Predicate(Record):
    """A kind of relation.

    Attributes:
        name: in snake_case.
        single: a subject has one object at a time.
        synonyms: other names of it.
        inverse: names of it seen from the object, such as `employs`.
        words: that ask for it in a question, English and Chinese.
        people: which ends are people: `s`, `o`, `so`, or empty.
    """

    name: str
    single: bool = False
    synonyms: tuple[str, ...] = ()
    inverse: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    people: str = ""


def _predicate(
    name: str,
    synonyms: str = "",
    inverse: str = "",
    words: str = "",
    *,
    people: str = "s",
    single: bool = False,
) -> Predicate:
    return Predicate(
        name=name,
        single=single,
        synonyms=tuple(synonyms.split()),
        inverse=tuple(inverse.split()),
        words=tuple(words.split()),
        people=people,
    )


_ALL = (
    _predicate(
        "works_at",
        "works_for employed_by employed_at works_in employee_of has_job_at joined employer",
        "employs has_employee",
        "work works working worked job employer employed company 工作 上班 公司 就职 任职 单位",
        single=True,
    ),
    _predicate(
        "lives_in",
        "lives_at resides_in moved_to lives_with_city residence home_city based_in relocated_to",
        "home_of",
        "live lives living lived home reside moved city 住 居住 搬 住址 城市",
        single=True,
    ),
    _predicate(
        "married_to",
        "spouse_of spouse wife_of husband_of is_married_to has_spouse has_wife has_husband wife husband married",
        words="married husband wife spouse 结婚 丈夫 妻子 老公 老婆 太太",
        people="so",
        single=True,
    ),
    _predicate(
        "partner_of",
        "dating girlfriend_of boyfriend_of engaged_to fiance_of in_relationship_with has_partner partner",
        words="partner girlfriend boyfriend dating fiance 女朋友 男朋友 对象 伴侣",
        people="so",
        single=True,
    ),
    _predicate(
        "born_in", "born_at birthplace place_of_birth", words="born birthplace 出生 老家", single=True
    ),
    _predicate(
        "has_role",
        "job_title occupation profession works_as role",
        words="role title profession 职位 职业",
        single=True,
    ),
    _predicate(
        "reports_to",
        "managed_by has_boss has_manager boss_is supervised_by",
        "boss_of supervises manager_of",
        "boss manager supervisor reports 老板 上司 经理 领导",
        people="so",
        single=True,
    ),
    _predicate(
        "hobby",
        "has_hobby enjoys practices enjoys_doing interested_in",
        words="hobby hobbies enjoy enjoys free pastime 爱好 兴趣 业余",
    ),
    _predicate(
        "likes", "loves prefers favorite fond_of", words="like likes love loves favorite 喜欢 爱 最爱"
    ),
    _predicate("dislikes", "hates does_not_like", words="dislike dislikes hate hates 讨厌 不喜欢"),
    _predicate("knows", "met acquainted_with knows_person", words="know knows met 认识", people="so"),
    _predicate(
        "friend_of",
        "friends_with has_friend is_friend_of best_friend_of friend",
        words="friend friends 朋友 闺蜜",
        people="so",
    ),
    _predicate(
        "colleague_of",
        "works_with coworker_of has_colleague",
        words="colleague coworker colleagues 同事",
        people="so",
    ),
    _predicate(
        "parent_of",
        "mother_of father_of has_child has_son has_daughter mom_of dad_of",
        "child_of son_of daughter_of has_parent has_mother has_father",
        "parent mother father mom dad child son daughter children kids 父母 爸爸 妈妈 母亲 父亲 孩子 儿子 女儿",
        people="so",
    ),
    _predicate(
        "sibling_of",
        "sister_of brother_of has_sibling has_sister has_brother twin_of sister brother",
        words="sibling sister brother siblings 姐姐 妹妹 哥哥 弟弟 兄弟 姐妹",
        people="so",
    ),
    _predicate(
        "grandparent_of",
        "grandmother_of grandfather_of",
        "grandchild_of grandson_of granddaughter_of",
        "grandparent grandmother grandfather grandma grandpa 爷爷 奶奶 外公 外婆",
        people="so",
    ),
    _predicate(
        "relative_of", "cousin_of aunt_of uncle_of", words="cousin aunt uncle relative 亲戚 表", people="so"
    ),
    _predicate("has_pet", "owns_pet has_dog has_cat pet_owner_of", "pet_of", "pet pets dog cat 宠物 狗 猫"),
    _predicate("owns", "has possesses", "owned_by", "own owns 拥有"),
    _predicate("speaks", "speaks_language fluent_in", words="speak speaks language languages 说 讲 语言"),
    _predicate(
        "studied_at",
        "graduated_from studies_at attended alumnus_of attends student_at educated_at",
        words="study studied studies graduated university school college 毕业 学校 大学 上学 读书",
    ),
    _predicate(
        "uses",
        "built_with written_in uses_technology implemented_in",
        "used_by",
        "use uses using used built written 用 使用 采用",
        people="",
    ),
    _predicate(
        "leads",
        "manages heads leader_of head_of runs in_charge_of responsible_for directs ceo_of",
        "led_by managed_as headed_by",
        "lead leads leader leading manage manages head heads charge runs 负责 领导 带领 管理 负责人",
    ),
    _predicate(
        "works_on",
        "contributes_to member_of_project develops",
        words="working works project 参与 开发",
        people="s",
    ),
    _predicate(
        "founded",
        "co_founded started_company created_company",
        "founded_by",
        "founded founder 创办 创立 创始人",
    ),
    _predicate("member_of", "belongs_to_team in_team", "has_member", "member members team 成员 团队"),
    _predicate(
        "part_of",
        "belongs_to component_of subsidiary_of",
        "contains has_part",
        "part belongs 属于",
        people="",
    ),
    _predicate(
        "located_in",
        "headquartered_in situated_in is_in",
        words="located where headquarters 位于 在哪 总部",
        people="",
    ),
)

BUILT_IN: Mapping[str, Predicate] = MappingProxyType({one.name: one for one in _ALL})
"""The predicates that everybody has, by name."""

_NO_WORD = re.compile(r"\W+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def plain_predicate(name: str) -> str:
    """Return a predicate in snake_case.

    >>> plain_predicate("Works at"), plain_predicate("worksAt")
    ('works_at', 'works_at')
    """
    return _NO_WORD.sub("_", _CAMEL.sub("_", name.strip())).strip("_").casefold()


class Predicates:
    """Predicates by all of their names. One that is not among them may have many objects.

    Args:
        more: beside the built-in ones, or in the place of one of the same name.
    """

    def __init__(self, more: Iterable[Predicate] = ()) -> None:
        self._known = {**BUILT_IN, **{one.name: one for one in more}}
        self._names = {synonym: one.name for one in self._known.values() for synonym in one.synonyms}
        self._inverse = {inverse: one.name for one in self._known.values() for inverse in one.inverse}

    def __iter__(self) -> Iterator[Predicate]:
        return iter(self._known.values())

    def canonical(self, name: str) -> tuple[str, bool]:
        """Return the name that stands for a predicate, and whether subject and object change places."""
        plain = plain_predicate(name)
        if plain in self._known:
            return plain, False
        if plain in self._inverse:
            return self._inverse[plain], True
        return self._names.get(plain, plain), False

    def settled(self, drafts: Iterable[RelationDraft]) -> tuple[RelationDraft, ...]:
        """Return relations under the names that stand for their predicates; one without a name is left out."""
        found = (self._settle(draft) for draft in drafts)
        return tuple(one for one in found if one.predicate and one.subject and one.object)

    def _settle(self, draft: RelationDraft) -> RelationDraft:
        name, swapped = self.canonical(draft.predicate)
        ends = (draft.object, draft.subject) if swapped else (draft.subject, draft.object)
        known = self._known.get(name)
        single = draft.single if known is None else known.single
        return draft.evolve(subject=ends[0].strip(), predicate=name, object=ends[1].strip(), single=single)
