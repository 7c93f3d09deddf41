"""Names in texts."""

import pytest

from memu_py.language.entities import entities
from memu_py.language.lexemes import lexemes

CASES: list[tuple[str, tuple[str, ...]]] = [
    ("I moved to New York with Ann.", ("Leo", "New York", "Ann")),
    ("Yesterday Ann and Bob's sister went out.", ("Ann", "Bob")),
    ("We met at the Bank of America.", ("Bank of America",)),
    ("The Lord of the Rings is long.", ("Lord of the Rings",)),
    ("Dr. Smith and J. K. Rowling live in St. Louis.", ("Dr. Smith", "J. K. Rowling", "St. Louis")),
    ("Painting helps. Awesome! Challenges make us grow.", ()),
    ("Zurich is cold.", ("Zurich",)),
    ("Wow, that's cool. Thanks!", ()),
    ("It'll rain. How've you been? Let's go. Let`s go", ()),
    ("They saw Van Gogh's Starry Night", ("Van Gogh", "Starry Night")),
    ("THIS IS GREAT NEWS from NASA.", ("NASA",)),
    ("AMAZINGLY they won.", ()),
    ("She flies to Rome on Monday in May.", ("Rome",)),
    ("He said: Paris is nice.", ("Paris",)),
    ("They read “Becoming Nicole” twice.", ("Becoming Nicole",)),
    ('They read "The Little Prince", again.', ("The Little Prince",)),
    ("They joined a LGBTQ support group and a pottery class.", ("LGBTQ support group", "pottery class")),
    ("It was a great class and a tough game", ()),
    ("attended class, quickly class", ()),
    ("He plays Cyberpunk 2077 on an iPhone 15.", ("Cyberpunk 2077", "iPhone 15")),
    (
        "use gpt-4, C++, node.js, my_var, E0308, ABC-123",
        ("gpt-4", "C++", "node.js", "my_var", "E0308", "ABC-123"),
    ),
    ("write a.b@c.org or @ann about #pride", ("a.b@c.org", "@ann", "#pride")),
    ("at 3pm on the 2nd, 80s music", ()),
    ("Ann met ANN and ann", ("Ann",)),
    ("Then Ann I think went.", ("Ann", "Leo")),
    ("my dog and me", ("Leo",)),
    ("I'd go, i said", ("Leo",)),
    ("He is in Rome I think, at me.com", ("Rome", "Leo", "me.com")),
    ("", ()),
    ("我叫王小明，住在北京市。", ("Leo", "王小明", "北京市")),
    ("我的狗叫旺财，妈妈叫我吃饭。", ("Leo", "旺财")),
    ("他的名字是小虎。", ("小虎",)),
    ("他在清华大学读书，去过人民医院。", ("清华大学",)),
    ("他在深圳华为公司工作。", ("深圳华为公司",)),
    ("逛超市，爬山，去公园", ()),
    ("小明和小红去了上海的星巴克。", ("小明", "小红", "上海", "星巴克")),
    ("李医生和王老师推荐《红楼梦》。", ("李医生", "王老师", "红楼梦")),
    ("我们公司在我国", ()),
    ("我喜欢「千と千尋」", ("Leo", "千と千尋")),
    ("谢谢，孙女很可爱", ()),
    ("这叫做幸福吗", ("幸福",)),
    ("叫的很大声", ()),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_names_are_found_in_their_order(text: str, expected: tuple[str, ...]) -> None:
    assert entities(text, speaker="Leo") == expected


def test_known_names_are_found_wherever_they_stand_and_spelled_as_known() -> None:
    found = entities("melanie saw caroline", names=["Caroline", "Melanie"])

    assert found == ("Melanie", "Caroline")


def test_a_known_name_is_a_whole_word() -> None:
    assert entities("announcement, planner", names=["Ann"]) == ()


def test_a_known_name_that_is_a_common_word_must_be_spelled_as_known() -> None:
    assert entities("hope is all we have", names=["Hope"]) == ()
    assert entities("then Hope left", names=["Hope"]) == ("Hope",)


def test_a_known_name_counts_at_the_start_of_a_sentence() -> None:
    assert entities("Lovely came.", names=["Lovely"]) == ("Lovely",)


def test_a_known_name_is_found_in_chinese_text() -> None:
    assert entities("昨天Ann来了，阿珍也来了", names=["ann", "阿珍"]) == ("ann", "阿珍")


def test_without_a_speaker_i_is_nobody() -> None:
    assert entities("I like my tea. 我喜欢茶") == ()


def test_an_unspeakable_name_is_ignored() -> None:
    assert entities("I like Rome", speaker="  ", names=[" "]) == ("Rome",)


def test_a_long_quotation_is_no_name() -> None:
    assert entities(f"he said “{'so it goes ' * 10}”") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("我在北京大学用GPT-4", ["我", "在", "北京大学", "用", "GPT-4"]),
        ("it's 3.5, C++ and node.js", ["it's", "3.5", "C++", "and", "node.js"]),
        ("中华人民共和国国家博物馆", ["中华人民共和国", "国家博物馆"]),
        ("😊 。", []),
    ],
)
def test_words_do_not_overlap(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in lexemes(text)] == words
