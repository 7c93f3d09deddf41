"""What people say of themselves, and what is no such thing."""

from datetime import UTC, datetime

import pytest

from memu_py.language.profile import claims_in, value_key

SAID = datetime(2024, 5, 1, tzinfo=UTC)


def told(text: str) -> list[str]:
    """Return what a text claims, one line each; what follows from liking is left out."""
    found = []
    for one in claims_in(text, names=["Ann", "小李"], said_at=SAID):
        claim = one.claim
        if (
            claim.ends
            and claim.facet in ("likes", "dislikes")
            and "longer" not in text
            and "不再" not in text
        ):
            continue
        topic = f"({claim.topic})" if claim.topic else ""
        since = f" since {one.since:%Y-%m-%d}" if one.since else ""
        found.append(f"{'-' if claim.ends else ''}{claim.facet}{topic}: {claim.value}{since}")
    return found


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("I'm a nurse.", ["occupation: nurse"]),
        ("Well, I’m a software engineer at Google.", ["occupation: software engineer", "employer: Google"]),
        ("I work as a tour guide for Blue Whale.", ["occupation: tour guide", "employer: Blue Whale"]),
        ("My job is data analyst.", ["occupation: data analyst"]),
        ("I became a teacher in 2020.", ["occupation: teacher since 2020-01-01"]),
        ("I work at the Red Cross.", ["employer: Red Cross"]),
        ("I started working at Acme in March 2023.", ["employer: Acme since 2023-03-01"]),
        ("I joined Acme as a clerk.", ["employer: Acme"]),
        ("I live in Porto with my wife Anna, and I love tea.", ["home: Porto", "likes: tea"]),
        ("I've been living in Paris since 2019.", ["home: Paris since 2019-01-01"]),
        ("I moved from Porto to Lisbon in May 2023.", ["home: Lisbon since 2023-05-01"]),
        ("I live in New York, so my home is in Queens.", ["home: New York", "home: Queens"]),
        ("I'm originally from Spain.", ["origin: Spain"]),
        ("I was born in Berlin.", ["origin: Berlin"]),
        ("I was born on May 3, 1990.", ["birthday: May 3"]),
        ("My birthday is May 3.", ["birthday: May 3"]),
        ("My name is Ann Smith.", ["name: Ann Smith"]),
        ("Please call me Bob.", ["nickname: Bob"]),
        ("I'm 34 years old and I'm married.", ["age: 34", "family(marital status): married"]),
        ("I am 200.", []),
        ("My husband is called Tom.", ["family(husband): Tom"]),
        ("My sister Eva is here.", ["family: sister Eva"]),
        ("I have two kids.", ["family: two kids"]),
        ("I have a black cat named Tom.", ["pets: cat Tom"]),
        ("My dog Rex loves walks.", ["pets: dog Rex"]),
        ("My dog Rex died last week.", ["-pets: dog Rex since 2024-04-22"]),
        ("I speak French and a little German.", ["languages: French", "languages: German"]),
        ("I'm fluent in Welsh.", ["languages: Welsh"]),
        ("I'm allergic to nuts and shellfish.", ["allergies: nuts", "allergies: shellfish"]),
        ("I have a severe peanut allergy.", ["allergies: peanut"]),
        ("I'm a strict vegan.", ["diet: vegan"]),
        ("I don't eat meat.", ["diet: no meat"]),
        ("I really enjoy hiking and jazz!", ["likes: hiking", "likes: jazz"]),
        ("I love tea and drink it daily.", ["likes: tea"]),
        ("I love to swim.", ["likes: swim"]),
        ("I'm a big fan of jazz.", ["likes: jazz"]),
        ("My favourite colour is blue.", ["likes(favourite colour): blue"]),
        ("I can't stand olives.", ["dislikes: olives"]),
        ("I don't like Mondays.", ["dislikes: Mondays"]),
        ("I'm interested in botany.", ["interests: botany"]),
        ("My hobbies are chess and pottery.", ["interests: chess", "interests: pottery"]),
        ("My goal is to run a marathon.", ["goals: run a marathon"]),
        ("I'm training for a triathlon.", ["goals: triathlon"]),
        ("I can play the piano.", ["skills: piano"]),
        ("I know how to weld.", ["skills: weld"]),
        ("My time zone is Europe/Lisbon.", ["timezone: Europe/Lisbon"]),
        ("I'm in the CET time zone.", ["timezone: CET"]),
        ("I no longer like coffee.", ["-likes: coffee"]),
        ("I don't live in Porto anymore.", ["-home: Porto"]),
        ("I'm not a nurse any more.", ["-occupation: nurse"]),
        ("I stopped working at Acme.", ["-employer: Acme"]),
        ("I moved out of Porto.", ["-home: Porto"]),
        ("I quit my job.", ["-employer: ", "-occupation: "]),
        ("I retired in 2022.", ["-employer:  since 2022-01-01", "-occupation:  since 2022-01-01"]),
        ("I used to live in Rome.", ["-home: Rome"]),
        ("I've been laid off.", ["-employer: ", "-occupation: "]),
        ("I got laid off from Acme last week.", ["-employer: Acme since 2024-04-22"]),
        ("Ann was fired.", ["-employer: ", "-occupation: "]),
        ("I changed my name to Li Ming.", ["name: Li Ming"]),
        ("Ann lives in Porto.", ["home: Porto"]),
        ("Ann's wife is called Maria.", ["family(wife): Maria"]),
        ("The user is a nurse and likes black tea.", ["occupation: nurse"]),
        ("User has a cat named Tom.", ["pets: cat Tom"]),
        ("我是护士。", ["occupation: 护士"]),
        ("我是一名软件工程师，在腾讯工作。", ["occupation: 软件工程师", "employer: 腾讯"]),
        ("我在医院当护士。", ["employer: 医院", "occupation: 护士"]),
        ("我去年加入了小米公司。", ["employer: 小米公司 since 2023-01-01"]),
        ("我现在住在上海。", ["home: 上海"]),
        ("我去年从北京搬到了杭州。", ["home: 杭州 since 2023-01-01"]),
        ("我家在浦东。", ["home: 浦东"]),
        ("我是上海人。", ["origin: 上海"]),
        ("我叫李明，今年三十四岁。", ["name: 李明", "age: 34"]),
        ("大家可以叫我小明。", ["nickname: 小明"]),
        ("我的生日是5月3日。", ["birthday: 5月3日"]),
        ("我老婆叫王芳。", ["family(老婆): 王芳"]),
        ("我女儿叫小美。", ["family: 女儿小美"]),
        ("我有两个孩子。", ["family: 两个孩子"]),
        ("我结婚了。", ["family(婚姻): 结婚"]),
        ("我养了一只猫叫咪咪。", ["pets: 猫咪咪"]),
        ("我会说英语和法语。", ["languages: 英语", "languages: 法语"]),
        ("我非常喜欢喝茶和爬山。", ["likes: 喝茶", "likes: 爬山"]),
        ("我最喜欢的颜色是蓝色。", ["likes(颜色): 蓝色"]),
        ("我讨厌下雨天。", ["dislikes: 下雨天"]),
        ("我对花生过敏。", ["allergies: 花生"]),
        ("我吃素。", ["diet: 吃素"]),
        ("我不吃香菜。", ["diet: 不吃香菜"]),
        ("我对天文很感兴趣。", ["interests: 天文"]),
        ("我的爱好是摄影、游泳。", ["interests: 摄影", "interests: 游泳"]),
        ("我的目标是跑完马拉松。", ["goals: 跑完马拉松"]),
        ("我会弹钢琴。", ["skills: 弹钢琴"]),
        ("我的时区是Asia/Shanghai。", ["timezone: Asia/Shanghai"]),
        ("我不再喜欢咖啡了。", ["-likes: 咖啡"]),
        ("我已经不住在上海了。", ["-home: 上海"]),
        ("我不是护士了。", ["-occupation: 护士"]),
        ("我辞职了。", ["-employer: ", "-occupation: "]),
        ("我以前住在北京。", ["-home: 北京"]),
        ("我在字节跳动上班。", ["employer: 字节跳动"]),
        ("我从字节跳动离职了。", ["-employer: 字节跳动"]),
        ("我被公司裁员了。", ["-employer: ", "-occupation: "]),
        ("我失业两个月了。", ["-employer: ", "-occupation: "]),
        ("我去年退休了。", ["-employer:  since 2023-01-01", "-occupation:  since 2023-01-01"]),
        ("我辞职了，现在在百度工作。", ["-employer: ", "-occupation: ", "employer: 百度"]),
        ("我改名叫李明了。", ["name: 李明"]),
        ("大家叫我小明就好。", ["nickname: 小明"]),
        ("用户喜欢喝茶。", ["likes: 喝茶"]),
        ("小李住在上海。", ["home: 上海"]),
        ("小李的老婆叫王芳。", ["family(老婆): 王芳"]),
    ],
)
def test_what_somebody_says_of_himself_is_found(text: str, claims: list[str]) -> None:
    assert told(text) == claims


@pytest.mark.parametrize(
    "text",
    [
        "Am I a nurse?",
        "I live in Porto, right?",
        "If I lived in Porto, I would be happy.",
        "If I'm a nurse, I work nights.",
        "Maybe I'm a nurse.",
        "She said I'm a nurse.",
        'He wrote "I live in Porto".',
        "According to him I live in Porto.",
        "Imagine I am a pilot.",
        "My sister is a nurse.",
        "Tom lives in Porto.",
        "You live in Porto.",
        "We live in Porto.",
        "I'm a bad cook.",
        "I'm a former teacher.",
        "I'm a mess.",
        "I'm not a doctor.",
        "I wish I lived in Paris.",
        "I want to be a doctor.",
        "I lived in Rome.",
        "I worked at Google.",
        "I was a nurse.",
        "I will live in Rome.",
        "I live in a small flat.",
        "I love you.",
        "I love it when it rains.",
        "I like my job.",
        "I like to think so.",
        "I'm 5 minutes late.",
        "I'm in a meeting.",
        "I left the keys at home.",
        "I joined Ann for lunch.",
        "I moved to the sales team.",
        "I moved to Marketing to lead a team.",
        "I don't know anymore.",
        "我是护士吗？",
        "你住在上海。",
        "如果我住在上海就好了。",
        "他说我是护士。",
        "我妈妈是护士。",
        "我爱你。",
        "我喜欢你。",
        "我想当医生。",
        "我不是护士。",
        "我是好人。",
        "我们住在上海。",
        "我是第一个到的。",
        "我会去上海。",
        "我叫他过来。",
        "我在上海工作。",
        "我在四川工作。",
        "我在努力工作。",
        "我在忙着找工作。",
        "我在完成工作。",
        "我在互联网行业工作。",
        "如果我被裁员了怎么办。",
        "他说我被裁员了。",
        "我老公被裁员了。",
        "我想辞职。",
        "我差点和李娜分手了。",
        "我和前女友分手了。",
        "我退休前是老师。",
        "If I got laid off, I would travel.",
        "I was almost fired.",
        "She said I got laid off.",
        "I was fired up.",
        "I was fired from my last job.",
        "I broke up the fight.",
        "我住在酒店里。",
        "私は東京に住んでいます。",
        "",
    ],
)
def test_what_is_asked_wished_or_said_of_others_is_no_claim(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("I broke up with Lena.", "girlfriend", "Lena"),
        ("I broke up with my girlfriend Lena.", "girlfriend", "Lena"),
        ("Lena and I broke up.", "girlfriend", "Lena"),
        ("I broke up with my boyfriend last week.", "boyfriend", ""),
        ("I divorced Marie.", "wife", "Marie"),
        ("I'm divorced.", "husband", ""),
        ("我和李娜分手了。", "女朋友", "李娜"),
        ("我和女朋友李娜分手了。", "女朋友", "李娜"),
        ("我女朋友跟我分手了。", "女朋友", ""),
        ("我和王芳离婚了。", "老婆", "王芳"),
        ("我离婚了。", "老婆", ""),
    ],
)
def test_a_couple_that_parts_is_none_any_longer(text: str, kind: str, name: str) -> None:
    lines = told(text)
    assert any(line.startswith(f"-family({kind}): {name}".rstrip()) for line in lines)
    assert not [line for line in lines if line.startswith(f"family({kind})")]


def test_what_is_liked_is_disliked_no_longer() -> None:
    (held, ended) = claims_in("I love tea.")
    assert (held.claim.facet, held.claim.ends, ended.claim.facet, ended.claim.ends) == (
        "likes",
        False,
        "dislikes",
        True,
    )


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Black coffees", "black coffee", True),
        ("tea", "coffee", False),
        ("上海", "上海", True),
        ("C++", "c++", True),
    ],
)
def test_values_are_compared_by_their_words(one: str, other: str, same: bool) -> None:
    assert (value_key(one) == value_key(other)) is same
