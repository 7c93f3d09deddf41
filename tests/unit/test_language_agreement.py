"""When one text may stand for another."""

from datetime import UTC, datetime

import pytest

from memu_py.language.agreement import fuller, is_contained, signature

DIFFERENT = [
    ("He likes tea", "He does not like tea"),
    ("I can eat nuts", "I can't eat nuts"),
    ("Ann lent Bob ten dollars", "Bob lent Ann ten dollars"),
    ("I walk before dinner", "I walk after dinner"),
    ("Ann joined Google", "Ann left Google"),
    ("I like black coffee", "I like black coffee without sugar"),
    ("I like coffee", "I like coffee ice cream"),
    ("I have two dogs", "I have three dogs"),
    ("I have 2 dogs", "I have 3 dogs"),
    ("My mother lives in Rome", "The sister of my mother lives in Rome"),
    ("I moved to Berlin", "I moved to Berlin with Ann"),
    ("I drink coffee", "I stopped drinking coffee"),
    ("I own a car", "I almost own a car"),
    ("I speak Spanish well", "I want to speak Spanish well"),
    ("I ran five miles yesterday", "I ran five miles today"),
    ("I ran five miles", "I ran five miles yesterday"),
    ("You live in Rome", "You live in Rome?"),
    ("Coffee", "I like coffee"),
    ("I like it", "I like it when the sun goes up above the sea and the birds wake up in the old trees"),
    ("", ""),
    ("我喜欢喝咖啡", "我不喜欢喝咖啡"),
    ("我吃过饭", "我没吃过饭"),
    ("小明借给小红一本书", "小红借给小明一本书"),
    ("饭前散步对我好", "饭后散步对我好"),
    ("我有两只猫", "我有三只猫"),
    ("我住在上海", "我以前住在上海"),
    ("我喜欢北京", "我喜欢北京烤鸭"),
    ("我妈妈住在罗马", "我妈妈的姐姐住在罗马"),
]

SAME = [
    ("I like black coffee", "I like strong black coffee"),
    ("I like black coffee", "i really like black coffee!"),
    ("I like coffee", "I like coffee in the morning"),
    ("My dog is called Rex", "My little dog is called Rex"),
    ("I don't eat red meat", "I don't eat any red meat"),
    ("I have ten red shirts", "I have 10 red shirts"),
    ("I drink tea every morning", "I drink green tea every single morning"),
    ("我喜欢看电影", "我非常喜欢看电影"),
    ("我对花生过敏", "我对花生严重过敏"),
    ("我每天早上跑步", "我每天早上在公园跑步"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_texts_that_differ_in_what_they_say_never_merge(one: str, other: str) -> None:
    assert not is_contained(signature(one), signature(other))
    assert not is_contained(signature(other), signature(one))


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_text_is_contained_in_a_fuller_one(one: str, other: str) -> None:
    assert is_contained(signature(one), signature(other))
    assert is_contained(signature(other), signature(one))


def test_the_same_words_on_two_days_are_two_things() -> None:
    text = "I ran five miles yesterday"
    monday, tuesday = datetime(2023, 5, 8, tzinfo=UTC), datetime(2023, 5, 9, tzinfo=UTC)

    assert not is_contained(signature(text, said_at=monday), signature(text, said_at=tuesday))
    assert is_contained(signature(text, said_at=monday), signature(text, said_at=monday))


def test_yesterday_and_its_date_are_one_day() -> None:
    told = signature("I ran five miles yesterday", said_at=datetime(2023, 5, 8, tzinfo=UTC))
    dated = signature("I ran five miles on May 7, 2023", said_at=datetime(2023, 6, 1, tzinfo=UTC))

    assert told.dates == dated.dates == ("2023-05-07T00:00:00+00:00/2023-05-08T00:00:00+00:00",)


def test_a_signature_tells_its_parts() -> None:
    found = signature("Ann didn't buy 3 red apples in Rome yesterday?")

    assert found.turning == ("?", "buy", "not")
    assert found.numbers == ("3",)
    assert found.names == ("ann", "rome")
    assert found.dates == ("yesterday",)
    assert found.words == ("ann", "didn't", "buy", "3", "red", "apples", "in", "rome")


def test_number_words_are_numbers() -> None:
    assert (
        signature("two cats").numbers == signature("2 cats").numbers == signature("两只猫").numbers == ("2",)
    )


@pytest.mark.parametrize(
    ("one", "other", "better"),
    [
        ("I like tea", "I like green tea", "I like green tea"),
        ("I like green tea", "I like tea", "I like green tea"),
        ("I like tea", "I like teas", "I like teas"),
        ("I like tea", "I like TEA", "I like tea"),
        ("我喜欢茶", "我非常喜欢喝茶", "我非常喜欢喝茶"),
    ],
)
def test_the_fuller_text_has_more_words(one: str, other: str, better: str) -> None:
    assert fuller(one, other) == better
