"""What is new in messages that are handed over to a kept conversation."""

from datetime import UTC
from typing import Any

import pytest

from memu_py.records.conversation import Conversation, KeptMessage, WholeConversation
from memu_py.records.scope import Scope
from memu_py.steps.memorize.kept import news
from memu_py.testing.store_samples import NOW

TALK = ["Hello there!", "I bought 3 apples today.", "OK.", "My cat is called Miso.", "Good night!"]
LONG = " ".join(f"In year {n} I moved to town number {n} by the sea." for n in range(40))


def told(known: list[Any], handed: list[Any]) -> tuple[list[Any], dict[int, Any]]:
    """Return what is added, and what is edited by the place of the known message."""
    messages = tuple(
        KeptMessage(ordinal=n, id=f"kept {n}", entry=entry, added_at=NOW) for n, entry in enumerate(known)
    )
    about = Conversation(
        id="c",
        scope=Scope(user="ann"),
        key="k",
        messages=len(known),
        memorized=0,
        version=1,
        last_at=NOW,
        created_at=NOW,
    )
    found = news(WholeConversation(conversation=about, messages=messages), handed, UTC)
    return list(found.added), {int(name[5:]): entry for name, entry in found.edits.items()}


def one(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


@pytest.mark.parametrize("window", [TALK, TALK[:2], TALK[2:], [TALK[0], TALK[3]], TALK[4:]])
def test_what_is_known_is_not_added(window: list[str]) -> None:
    assert told(TALK, window) == ([], {})
    assert told(TALK, [*window, "Good morning!"]) == (["Good morning!"], {})


@pytest.mark.parametrize(
    ("known", "handed"),
    [
        (["I bought 3 apples today."], ["I bought 5 apples today."]),
        (["我今天跑了五公里。"], ["我今天跑了八公里。"]),
        ([one("I bought 3 apples.", id="m1")], [one("I bought 5 apples.", id="m2")]),
        (TALK[:2], ["I bought 5 apples today."]),
        (TALK, ["I bought 5 apples today.", *TALK[2:]]),
        (TALK[:2], [TALK[0], "I bought 5 apples today."]),
        (TALK[1:3], ["I bought 5 apples today.", "OK."]),
        ([f"{LONG} First question?"], [f"{LONG} Second question?"]),
    ],
)
def test_what_is_only_like_a_known_one_is_new(known: list[Any], handed: list[Any]) -> None:
    added, edits = told(known, handed)
    assert edits == {}
    assert added == [entry for entry in handed if entry not in known]
    # Handed over again, it is known.
    assert told([*known, *added], handed) == ([], {})
    assert told([*known, *added], [*handed, "Bye!"]) == (["Bye!"], {})


def test_an_edit_stands_between_two_that_are_known_or_has_the_id() -> None:
    edited = "I bought 5 apples today."
    assert told(TALK, [TALK[0], edited, *TALK[2:]]) == ([], {1: edited})
    assert told(TALK, [TALK[0], edited, "OK.", "Bye!"]) == (["Bye!"], {1: edited})
    both = [TALK[0], edited, "OK.", "My cat is called Sushi.", TALK[4]]
    assert told(TALK, both) == ([], {1: edited, 3: both[3]})
    named = one("Something else.", id="m7")
    assert told([one("I moved to Lisbon.", id="m7")], [named]) == ([], {0: named})


def test_a_long_message_that_goes_on_is_the_same_message() -> None:
    longer = f"{LONG} In the end I moved to Lisbon."
    assert told([LONG], [longer]) == ([], {0: longer})
    assert told([LONG, "Bye!"], [longer, "Bye!", "Hello!"]) == (["Hello!"], {0: longer})


def test_two_parts_of_a_long_message_do_not_take_its_place_both() -> None:
    first, last = LONG[: len(LONG) // 2], LONG[len(LONG) // 2 :]
    added, edits = told([TALK[0], LONG, TALK[2]], [TALK[0], f"{first} one", f"two {last}", TALK[2]])
    said = [*added, *edits.values()]
    assert f"{first} one" in said and f"two {last}" in said
