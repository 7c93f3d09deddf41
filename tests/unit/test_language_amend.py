"""What a correction makes of a memory."""

from datetime import UTC, datetime

import pytest

from memu_py.language.amend import amended, content_of, only_date
from memu_py.language.dates import first_date

SAID = datetime(2024, 5, 1, tzinfo=UTC)
NOW = datetime(2024, 9, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "words", "how", "after", "happened"),
    [
        ("I moved in 2020.", "that is wrong, it was 2021", "date", "I moved in 2021.", "2021-01-01"),
        ("I moved in May 2020.", "it was 2021", "date", "I moved in May 2021.", "2021-05-01"),
        ("I moved in May 2020.", "No, it was in June 2021.", "date", "I moved in June 2021.", "2021-06-01"),
        ("I moved in May 2020.", "it was last week", "date", "I moved in 2024-08-26.", "2024-08-26"),
        ("I moved to Rome.", "actually it was 2021", "date", "I moved to Rome (2021).", "2021-01-01"),
        ("我去年搬到了上海。", "不对，是2021年", "date", "我2021年搬到了上海。", "2021-01-01"),
        ("我搬到了上海。", "错了，应该是2021年。", "date", "我搬到了上海（2021年）。", "2021-01-01"),
        ("I live in Porto.", "It's not Porto but Lisbon", "piece", "I live in Lisbon.", None),
        ("I live in Porto.", "not in Porto, but in Lisbon!", "piece", "I live in Lisbon.", None),
        ("I live in Porto.", "It was Lisbon, not Porto.", "piece", "I live in Lisbon.", None),
        ("I live in Porto.", "Lisbon instead of porto", "piece", "I live in Lisbon.", None),
        ("I paid 20 euros.", "not 20 but 30 euros", "piece", "I paid 30 euros.", None),
        ("I met Ann in 2020.", "not 2020 but 2021", "piece", "I met Ann in 2021.", "2021-01-01"),
        ("我住在上海。", "不是上海，是杭州", "piece", "我住在杭州。", None),
        ("我住在上海。", "应该是杭州，不是上海。", "piece", "我住在杭州。", None),
        ("我住在上海。", "不是上海而是杭州", "piece", "我住在杭州。", None),
        ("I live in Porto.", "That's wrong, I live in Lisbon.", "statement", "I live in Lisbon", None),
        ("I live in Porto.", "Actually, Ann lives in Rome", "statement", "Ann lives in Rome", None),
        ("我住在上海。", "错了，我住在杭州", "statement", "我住在杭州", None),
        ("I live in Porto.", "that's wrong", "end", "", None),
        ("I live in Porto.", "Not true!", "end", "", None),
        ("我住在上海。", "不对", "end", "", None),
        ("我住在上海。", "记错了。", "end", "", None),
    ],
)
def test_a_correction_changes_what_it_says(
    text: str, words: str, how: str, after: str, happened: str | None
) -> None:
    then = first_date(text, said_at=SAID)
    found = amended(text, words, happened=then, said_at=SAID, now=NOW)
    assert found is not None
    assert (found.how, found.text) == (how, after)
    assert (None if found.happened is None else found.happened.start.date().isoformat()) == happened


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I live in Porto.", "it was Lisbon"),
        ("I live in Porto.", "not Rome but Lisbon"),
        ("I live in Importo.", "not Porto but Lisbon"),
        ("I live in Porto.", "no"),
        ("I live in Porto.", "Lisbon"),
        ("我住在上海。", "不是北京，是杭州"),
        ("我住在上海。", "是杭州"),
        ("I live in Porto.", "..."),
    ],
)
def test_what_does_not_fit_changes_nothing(text: str, words: str) -> None:
    assert amended(text, words, happened=None, said_at=SAID, now=NOW) is None


def test_the_date_that_the_memory_goes_by_is_meant() -> None:
    text = "In 2019 I planned what I did in 2020."
    then = first_date("in 2020", said_at=SAID)
    found = amended(text, "it was 2021", happened=then, said_at=SAID, now=NOW)
    assert found is not None and found.text == "In 2019 I planned what I did in 2021."


@pytest.mark.parametrize(
    ("words", "rest"),
    [
        ("No, that's wrong: Ann lives in Porto.", "Ann lives in Porto"),
        ("You are mistaken. It was May", "It was May"),
        ("不对，是2021年", "是2021年"),
        ("Ann lives in Porto", "Ann lives in Porto"),
        ("Nobody lives there", "Nobody lives there"),
    ],
)
def test_what_only_says_that_it_is_wrong_is_no_content(words: str, rest: str) -> None:
    assert content_of(words) == rest


@pytest.mark.parametrize("words", ["it was fun in 2021", "never", "我2021年去过"])
def test_a_date_among_other_words_is_not_only_a_date(words: str) -> None:
    assert only_date(words, now=NOW) is None
