"""What rules take a text to say of names; above all, what they do not."""

import pytest

from memu_py.language.relations import relations
from memu_py.language.same_names import Seen, form_of, keys_in, same_names


def said(text: str, speaker: str | None = "Ann") -> list[tuple[str, str, str]]:
    return [
        (one.subject, ("-" if one.denied else "") + one.predicate, one.object)
        for one in relations(text, speaker=speaker)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I work at Acme.", [("Ann", "works_at", "Acme")]),
        ("I'm working as a nurse at St. Mary Hospital now.", [("Ann", "works_at", "St. Mary Hospital")]),
        ("I got a new job at Beta Inc. as an engineer.", [("Ann", "works_at", "Beta Inc")]),
        ("I work at Acme, but I would like to leave.", [("Ann", "works_at", "Acme")]),
        ("Leo works for Acme since 2019.", [("Leo", "works_at", "Acme")]),
        ("I don't work at Acme anymore.", [("Ann", "-works_at", "Acme")]),
        ("I no longer work at Acme.", [("Ann", "-works_at", "Acme")]),
        ("I left Google last week.", [("Ann", "-works_at", "Google")]),
        ("I quit my job at Beta Corp.", [("Ann", "-works_at", "Beta Corp")]),
        ("I just moved to Lisbon!", [("Ann", "lives_in", "Lisbon")]),
        ("I used to live in Rome.", [("Ann", "-lives_in", "Rome")]),
        ("My sister is Mia.", [("Ann", "sibling_of", "Mia")]),
        ("My best friend Tom is a teacher.", [("Ann", "friend_of", "Tom")]),
        ("My mom is Carla.", [("Carla", "parent_of", "Ann")]),
        ("Mia's brother is Leo.", [("Mia", "sibling_of", "Leo")]),
        ("Mia is my sister.", [("Ann", "sibling_of", "Mia")]),
        ("My dog's name is Rex.", [("Ann", "has_pet", "Rex")]),
        ("I have another cat named Bailey.", [("Ann", "has_pet", "Bailey")]),
        ("Leo and I got married in Rome.", [("Ann", "married_to", "Leo")]),
        ("I divorced Leo.", [("Ann", "-married_to", "Leo")]),
        ("I got laid off.", [("Ann", "-works_at", "Ann")]),
        ("I'm retired.", [("Ann", "-works_at", "Ann")]),
        ("Leo lost his job last week.", [("Leo", "-works_at", "Leo")]),
        ("I was laid off from Acme.", [("Ann", "-works_at", "Acme")]),
        ("I broke up with my girlfriend Lena.", [("Ann", "-partner_of", "Lena")]),
        ("I broke up with my girlfriend.", [("Ann", "-partner_of", "Ann")]),
        ("I got divorced.", [("Ann", "-married_to", "Ann")]),
        ("My boss is now Bob.", [("Ann", "reports_to", "Bob")]),
        ("I was born in Porto.", [("Ann", "born_in", "Porto")]),
        ("I speak Spanish and French.", [("Ann", "speaks", "Spanish"), ("Ann", "speaks", "French")]),
        ("I love hiking.", [("Ann", "hobby", "hiking")]),
        ("My hobbies are chess and sailing.", [("Ann", "hobby", "chess"), ("Ann", "hobby", "sailing")]),
        ("Leo leads the Phoenix project.", [("Leo", "leads", "Phoenix project")]),
        ("The Atlas project is led by Mia.", [("Mia", "leads", "Atlas project")]),
        (
            "The Phoenix project uses Python and Rust.",
            [("Phoenix project", "uses", "Python"), ("Phoenix project", "uses", "Rust")],
        ),
        ("我在腾讯工作。", [("Ann", "works_at", "腾讯")]),
        ("我在蓝鲸科技上班。", [("Ann", "works_at", "蓝鲸科技")]),
        ("我不在腾讯上班了。", [("Ann", "-works_at", "腾讯")]),
        ("我以前在腾讯工作。", [("Ann", "-works_at", "腾讯")]),
        ("我从腾讯离职了。", [("Ann", "-works_at", "腾讯")]),
        ("我现在在字节跳动工作。", [("Ann", "works_at", "字节跳动")]),
        ("我在人大附中上班。", [("Ann", "works_at", "人大附中")]),
        ("我从字节跳动离职了。", [("Ann", "-works_at", "字节跳动")]),
        ("我不再在字节跳动工作了。", [("Ann", "-works_at", "字节跳动")]),
        ("我失业了。", [("Ann", "-works_at", "Ann")]),
        ("我被公司裁员了。", [("Ann", "-works_at", "Ann")]),
        (
            "我辞职了，现在在百度工作。",
            [("Ann", "works_at", "百度"), ("Ann", "-works_at", "Ann")],
        ),
        ("我和女朋友李娜分手了。", [("Ann", "-partner_of", "李娜")]),
        ("我和女朋友分手了。", [("Ann", "-partner_of", "Ann")]),
        ("我离婚了。", [("Ann", "-married_to", "Ann")]),
        ("我的老板换成了李强。", [("Ann", "reports_to", "李强")]),
        ("我搬到了北京。", [("Ann", "lives_in", "北京")]),
        ("我姐姐叫小美。", [("Ann", "sibling_of", "小美")]),
        ("小美是我姐姐。", [("Ann", "sibling_of", "小美")]),
        ("我妈妈叫王芳。", [("王芳", "parent_of", "Ann")]),
        ("我有一只猫叫咪咪。", [("Ann", "has_pet", "咪咪")]),
        ("我跟小美结婚了。", [("Ann", "married_to", "小美")]),
        ("我喜欢打篮球。", [("Ann", "hobby", "打篮球")]),
        ("我会说英语和法语。", [("Ann", "speaks", "英语"), ("Ann", "speaks", "法语")]),
        ("我毕业于清华大学。", [("Ann", "studied_at", "清华大学")]),
        ("李雷负责凤凰项目。", [("李雷", "leads", "凤凰项目")]),
        ("凤凰项目的负责人是李雷。", [("李雷", "leads", "凤凰项目")]),
        ("凤凰项目用Python和Rust开发。", [("凤凰项目", "uses", "Python"), ("凤凰项目", "uses", "Rust")]),
    ],
)
def test_what_is_told_plainly(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Do you work at Acme?",
        "If I worked at Acme I'd be rich.",
        "If I work at Acme, I am happy.",
        "I would work at Acme.",
        "I want to work at Acme.",
        "I will move to Lisbon.",
        "I don't work at Acme.",
        "I never lived in Paris.",
        "Bob said that he works at Acme.",
        "Bob said Leo works at Acme.",
        "I heard that Leo lives in Rome.",
        '"I work at Acme," he said.',
        "Maybe Leo lives in Rome.",
        "In the movie, Leo lives in Rome.",
        "My sister is Canadian.",
        "My sister is Mia's friend.",
        "I was born in May.",
        "I love being with you.",
        "He works at Acme.",
        "Strategy games like Civilization are fun.",
        "If I got laid off, I would travel.",
        "I was almost fired.",
        "I was fired up.",
        "He got laid off.",
        "我在上海工作。",
        "我在忙着找工作。",
        "我在完成工作。",
        "我在研发部工作。",
        "小王在蓝海工作。",
        "我在银行工作。",
        "我妈妈是护士。",
        "我和前女友分手了。",
        "如果我被裁员了怎么办。",
        "我老公被裁员了。",
        "你在腾讯工作吗？",
        "如果我在腾讯工作就好了。",
        "听说小明在腾讯工作。",
        "我想在腾讯工作。",
        "我没有在腾讯工作。",
        "我在努力工作。",
        "我在家工作。",
        "我们在腾讯工作。",
        "他说“我在腾讯工作”。",
        "I work at \ue0000\ue001.",
        "I work at Acme " + "and so on " * 50,
        "",
    ],
)
def test_what_tells_nothing(text: str) -> None:
    assert said(text) == []


def test_without_a_speaker_the_first_person_is_nobody() -> None:
    assert said("I work at Acme. 我在腾讯工作。", None) == []
    assert said("Leo works at Acme.", None) == [("Leo", "works_at", "Acme")]
    assert said("I work at Acme.", " ") == []


def test_forms_of_names() -> None:
    assert form_of("dr ann lee") == form_of("ann lee").evolve(around="dr")
    assert (form_of("mr lee").core, form_of("mrs lee").core) == ("mr lee", "mrs lee")
    assert {form_of(name).core for name in ("phoenix project", "the phoenix project", "project phoenix")} == {
        "phoenix"
    }
    assert {form_of(name).core for name in ("腾讯", "腾讯公司", "腾讯有限公司")} == {"腾讯"}
    assert (form_of("王老师").core, form_of("王小姐").core, form_of("小美姐").core) == (
        "王老师",
        "王小姐",
        "小美",
    )
    assert form_of("acme公司").core == "acme"
    assert form_of("...").core


def people(*keys: str, speaks: tuple[str, ...] = ()) -> list[Seen]:
    return [Seen(key=key, person=True, speaks=key in speaks) for key in keys]


def test_names_are_one_where_that_is_safe() -> None:
    assert same_names(people("ann", "ann lee", "dr ann lee")) == {"dr ann lee": "ann lee", "ann": "ann lee"}
    assert same_names(people("小美", "王小美", "小美姐")) == {"小美姐": "王小美", "小美": "王小美"}
    assert same_names(people("ann", "ann lee", "ann wong")) == {}
    assert same_names([*people("ann", "ann lee"), Seen(key="ann wong")]) == {}
    assert same_names([Seen(key="paris"), *people("paris hilton")]) == {}
    assert same_names(people("ann", "ann lee", speaks=("ann", "ann lee"))) == {}
    assert same_names(people("ann", "ann lee"), {frozenset(("ann", "ann lee"))}) == {}
    assert same_names([Seen(key="acme inc"), Seen(key="acme gmbh"), Seen(key="acme")]) == {}
    assert same_names(people("ann lee", "dr ann lee"), {frozenset(("ann lee", "dr ann lee"))}) == {}


def test_runs_of_a_question_that_could_be_names() -> None:
    keys = keys_in("Who leads Ann Lee's project? 使用Python的项目")
    assert {"ann lee", "project", "python", "项目"} <= set(keys)
    assert len(keys) == len(set(keys))
