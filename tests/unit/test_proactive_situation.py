"""What a prediction starts from, whatever form it comes in."""

import pytest

from memu_py.errors import InvalidInput
from memu_py.steps.proactive.event import texts_of
from memu_py.steps.proactive.situation import LAST_TURNS, situation_of


def test_a_text_is_a_turn() -> None:
    assert situation_of(" 今晚吃什么？ ").turns == ("今晚吃什么？",)


def test_messages_are_turns_behind_their_speakers() -> None:
    parts = [{"type": "text", "text": "Hi"}, {"type": "image_url"}, {"type": "text", "text": "there"}]
    found = situation_of(
        [{"role": "user", "content": "{braces} <b>"}, {"name": "Ann", "content": parts}, "plain", ""]
    )

    assert found.turns == ("user: {braces} <b>", "Ann: Hi there", "plain")
    assert found.queries[0] == "plain"


def test_a_mapping_holds_messages_and_what_else_is_known() -> None:
    context = {
        "messages": [{"role": "user", "content": "Hi"}],
        "place": "office",
        "tags": ["a", {"b": 1}],
        "none": None,
    }
    found = situation_of(context)

    assert found.turns == ("user: Hi",)
    assert found.facts == {"place": "office", "tags": "a, b: 1"}
    assert found.queries == ("user: Hi", "office", "a, b: 1")
    assert "place: office" in found.text


def test_only_the_last_turns_count() -> None:
    assert situation_of([str(number) for number in range(50)]).turns[0] == str(50 - LAST_TURNS)


@pytest.mark.parametrize("context", [(), {}, [], {"messages": []}, [{"role": "user", "content": None}]])
def test_nothing_is_a_context_too(context: object) -> None:
    assert situation_of(context).queries == ()  # type: ignore[arg-type]


@pytest.mark.parametrize("context", [1, None, [1], {"messages": "hi"}, {"messages": [3.5]}])
def test_anything_else_is_refused(context: object) -> None:
    with pytest.raises(InvalidInput, match="a context is"):
        situation_of(context)  # type: ignore[arg-type]


def test_an_event_says_each_of_its_texts() -> None:
    assert texts_of({"title": "Recall", "text": "Brakes fail", "year": 2026}) == [
        "Recall\nBrakes fail",
        "Recall",
        "Brakes fail",
    ]
    assert texts_of("Recall") == ["Recall"]


@pytest.mark.parametrize("event", ["", "  ", {}, {"year": 2026}])
def test_an_event_that_says_nothing_is_refused(event: object) -> None:
    with pytest.raises(InvalidInput, match="an event is"):
        texts_of(event)  # type: ignore[arg-type]
