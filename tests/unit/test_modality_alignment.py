"""What is new in a resource that comes again."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memu_py.modality.alignment import Alignment, align
from memu_py.modality.conversation import ConversationParser
from memu_py.modality.markdown import MarkdownParser
from memu_py.modality.matching import EXACT_PRODUCT, PAIRING_PRODUCT, matches, similar_pairs, similarity
from memu_py.modality.parser import ParseOptions
from memu_py.modality.raw import Raw
from memu_py.records.resource import Segment

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
TALK = ["hi", "I like green tea a lot.", "ok", "My cat is called Miso.", "ok"]


def chat(*entries: Any, options: ParseOptions | None = None) -> tuple[Segment, ...]:
    """Segments of messages: a string, or `(id, text)`, or `(id, text, minutes)`."""
    messages = []
    for entry in entries:
        parts: tuple[Any, ...] = (None, entry) if isinstance(entry, str) else entry
        message = {"role": "user", "id": parts[0], "content": parts[1]}
        if len(parts) > 2:
            message["created_at"] = (START + timedelta(minutes=parts[2])).isoformat()
        messages.append(message)
    raw = Raw(data=b"[]", messages=tuple(messages))
    return ConversationParser().parse(raw, options=options or ParseOptions()).segments


def document(text: str) -> tuple[Segment, ...]:
    return MarkdownParser().parse(Raw(data=text.encode())).segments


def story(alignment: Alignment) -> dict[str, Any]:
    return {
        "kept": [(pair.old.text, pair.new.ordinal) for pair in alignment.kept],
        "changed": [(pair.old.text, pair.new.text, pair.new.ordinal) for pair in alignment.changed],
        "added": [(segment.text, segment.ordinal) for segment in alignment.added],
        "removed": [segment.text for segment in alignment.removed],
    }


def news(old: tuple[Segment, ...], new: tuple[Segment, ...]) -> tuple[list[tuple[str, str]], list[str]]:
    """What changed and what was added in a conversation, of which nothing is ever removed."""
    alignment = align(old, new)
    assert alignment.removed == ()
    return [(pair.old.text, pair.new.text) for pair in alignment.changed], [
        one.text for one in alignment.added
    ]


def test_a_conversation_that_grew_adds_its_new_turns_behind_the_old_ones() -> None:
    assert story(align(chat(*TALK[:3]), chat(*TALK))) == {
        "kept": [("hi", 0), ("I like green tea a lot.", 1), ("ok", 2)],
        "changed": [],
        "added": [("My cat is called Miso.", 3), ("ok", 4)],
        "removed": [],
    }


@pytest.mark.parametrize(
    "window", [TALK, TALK[2:], TALK[:2], TALK[1:3], TALK[4:], ["I like green tea a lot.", "ok"]]
)
def test_what_was_there_already_adds_nothing(window: list[str]) -> None:
    assert news(chat(*TALK), chat(*window)) == ([], [])


def test_a_window_with_new_turns_adds_them_behind_everything() -> None:
    alignment = align(chat(*TALK), chat(*TALK[3:], "I moved to Oslo."))
    assert [(one.text, one.ordinal) for one in alignment.added] == [("I moved to Oslo.", 5)]
    assert [pair.new.ordinal for pair in alignment.kept] == [3, 4]


def test_messages_left_out_in_the_middle_are_not_removed() -> None:
    assert news(chat(*TALK), chat(TALK[0], TALK[3], TALK[4])) == ([], [])


def test_something_entirely_new_is_added() -> None:
    assert news(chat(*TALK), chat("We met in Rome.", "It rained.")) == ([], ["We met in Rome.", "It rained."])
    assert news((), chat("hi")) == ([], ["hi"])


def test_a_message_edited_in_place_is_changed_and_keeps_its_ordinal() -> None:
    edited = [*TALK[:1], "Forget it.", *TALK[2:]]
    assert story(align(chat(*TALK), chat(*edited)))["changed"] == [
        ("I like green tea a lot.", "Forget it.", 1)
    ]


def test_a_first_message_is_edited_like_any_other() -> None:
    assert news(chat(*TALK), chat("Good evening!", *TALK[1:])) == ([("hi", "Good evening!")], [])


def test_an_answer_made_anew_is_changed_and_what_follows_is_added() -> None:
    old = chat("hi", "How do I brew tea?", "Use hot water.")
    new = chat("hi", "How do I brew tea?", "In Japan they do it so.", "thanks")
    assert news(old, new) == ([("Use hot water.", "In Japan they do it so.")], ["thanks"])


def test_what_follows_an_edited_message_and_was_not_sent_stays() -> None:
    old = chat("hi", "ok", "I like tea.", "My cat is Miso.")
    assert news(old, chat("hi", "ok", "Rather coffee!")) == ([("I like tea.", "Rather coffee!")], [])


def test_a_usual_greeting_makes_no_edit_of_what_follows_it() -> None:
    old = chat("Hello!", "I like tea.")
    assert news(old, chat("Hello!", "We moved to Porto.")) == ([], ["We moved to Porto."])


def test_a_likely_edit_needs_no_company() -> None:
    old = chat("Hello!", "I moved to Lisbon yesterday.")
    assert news(old, chat("Hello!", "I moved to Lisboa yesterday.")) == (
        [("I moved to Lisbon yesterday.", "I moved to Lisboa yesterday.")],
        [],
    )


def test_an_edit_keeps_its_author() -> None:
    old = ConversationParser().parse(Raw(data=b'["a", "b", {"role": "user", "content": "c"}, "d"]')).segments
    new = (
        ConversationParser()
        .parse(Raw(data=b'["a", "b", {"role": "assistant", "content": "x"}, "d"]'))
        .segments
    )
    assert news(old, new) == ([], ["x"])


def test_ids_find_an_edited_message_wherever_it_stands() -> None:
    old = chat(("m1", "hi"), ("m2", "I like tea."), ("m3", "bye"))
    assert news(old, chat(("m2", "Rather coffee!"))) == ([("I like tea.", "Rather coffee!")], [])


def test_ids_tell_equal_messages_apart() -> None:
    old = chat(("m1", "ok"), ("m2", "I like tea."))
    assert news(old, chat(("m2", "I like tea."), ("m3", "ok"))) == ([], ["ok"])
    assert news(old, chat(("m1", "ok"), ("m3", "ok"))) == ([], ["ok"])


def test_ids_that_only_count_the_messages_of_a_window_are_not_believed() -> None:
    old = chat((0, "hi"), (1, "I like tea."), (2, "My cat is Miso."))
    assert news(old, chat((0, "I like tea."), (1, "My cat is Miso."), (2, "bye"))) == ([], ["bye"])


def test_counting_ids_are_believed_where_the_texts_agree() -> None:
    old = chat((1, "hi"), (2, "I like tea."), (3, "bye"))
    assert news(old, chat((1, "hi"), (2, "Never mind."), (3, "bye"))) == (
        [("I like tea.", "Never mind.")],
        [],
    )


def test_todays_greeting_is_not_yesterdays() -> None:
    old = chat((None, "Good morning!", 0), (None, "I like tea.", 1))
    new = chat((None, "I like tea.", 1), (None, "Good morning!", 1440), (None, "I like rain.", 1441))
    assert news(old, new) == ([], ["Good morning!", "I like rain."])


def test_an_edit_keeps_its_date() -> None:
    old = chat((None, "a", 0), (None, "b", 1), (None, "I like tea.", 2))
    assert news(old, chat((None, "a", 0), (None, "b", 1), (None, "I like teas.", 9))) == (
        [],
        ["I like teas."],
    )


def test_an_export_that_dates_everything_anew_adds_nothing() -> None:
    old = chat((None, "I like tea.", 0), (None, "My cat is Miso.", 1))
    assert news(old, chat((None, "I like tea.", 7), (None, "My cat is Miso.", 7))) == ([], [])


def test_parts_of_a_long_turn_with_one_id_are_told_apart() -> None:
    options = ParseOptions(turn_chars=60)
    sentences = [f"This is sentence number {number}, about tea." for number in range(4)]
    old = chat(("m1", " ".join(sentences)), options=options)
    changed = [*sentences[:2], "And this one speaks of coffee.", sentences[3]]
    new = chat(("m1", " ".join(changed)), ("m2", "bye"), options=options)
    assert news(old, new) == ([(sentences[2], "And this one speaks of coffee.")], ["bye"])


def test_a_document_is_what_it_is_now() -> None:
    old = document(
        "# Trip\n\nThe train leaves at noon.\n\nBuy cheese.\n\n## Hotel\n\nThe hotel is called Aurora.\n"
    )
    new = document(
        "# Trip\n\nBring the blue suitcase.\n\nThe train leaves at nine.\n\n## Hotel\n\nThe hotel is called Aurora.\n"
    )
    assert story(align(old, new)) == {
        "kept": [("The hotel is called Aurora.", 2)],
        "changed": [("The train leaves at noon.", "The train leaves at nine.", 1)],
        "added": [("Bring the blue suitcase.", 0)],
        "removed": ["Buy cheese."],
    }


def test_a_paragraph_that_outgrew_its_group_is_still_an_edit() -> None:
    old = document("# A\n\nThe hotel is called Aurora.\n\nEnd.")
    long = "The hotel is called Aurora and has a garden. " + "It is quiet there, and they bake. " * 12
    kinds = [pair.new.kind for pair in align(old, document(f"# A\n\n{long}\n\nEnd."), growing=False).changed]
    assert kinds in ([], ["sentences"])
    short = document("# A\n\nThe hotel is called Aurora and has a garden.\n\nEnd.")
    assert [pair.old.text for pair in align(old, short).changed] == ["The hotel is called Aurora."]


def test_a_document_put_in_the_place_of_another_shares_nothing() -> None:
    alignment = align(document("# A\n\nThe train leaves."), document("# B\n\nMy cat is called Miso."))
    assert story(alignment) == {
        "kept": [],
        "changed": [],
        "added": [("My cat is called Miso.", 0)],
        "removed": ["The train leaves."],
    }


def test_an_emptied_document_loses_everything() -> None:
    assert [one.text for one in align(document("# A\n\nTea."), ()).removed] == ["Tea."]


def test_the_caller_may_say_what_grows() -> None:
    old, new = chat("a", "b"), chat("b")
    assert [one.text for one in align(old, new, growing=False).removed] == ["a"]
    grown = align(document("Tea.\n\nCoffee."), document("Coffee.\n\nMilk."), growing=True)
    assert (grown.removed, [(one.text, one.ordinal) for one in grown.added]) == ((), [("Milk.", 2)])


def test_a_long_conversation_with_a_word_said_often_is_compared_at_once() -> None:
    often = [text for number in range(2500) for text in (f"line {number}", "ok")]
    other = [text.replace("line 7", "row 7") for text in often]
    assert len(often) * len(other) > EXACT_PRODUCT
    pairs = matches(often, ["new", *other[:-1]])
    assert all(often[a] == ["new", *other[:-1]][b] for a, b in pairs)
    assert len(pairs) == sum(one == two for one, two in zip(often, other, strict=True)) - 1


def test_long_sequences_that_share_little_are_matched_in_order() -> None:
    old = [f"line {number}" for number in range(2500)]
    assert matches(old, [f"row {number}" for number in range(2500)]) == []
    swapped = [*old[1250:], *old[:1250]]
    assert matches(old, ["x", *swapped, "y"]) == [(place, place - 1249) for place in range(1250, 2500)]


def test_words_that_are_all_said_often_are_compared_in_time_and_in_order() -> None:
    old, new = ["ok", "yes"] * 1500, ["x", *["yes", "ok"] * 1400, "y"]
    pairs = matches(old, new)
    assert all(old[a] == new[b] for a, b in pairs)
    assert pairs == sorted(pairs)


def test_many_edits_in_one_place_are_paired_by_place() -> None:
    old = [f"sentence number {number} of the old text" for number in range(110)]
    new = [f"{text}, edited" for text in old]
    assert len(old) * len(new) > PAIRING_PRODUCT
    assert similar_pairs(old, new, least=0.5) == [(place, place) for place in range(110)]
    assert similar_pairs(old, ["x"] * 110, least=0.5) == []


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        ("I moved to Lisbon.", "I moved to Lisbon.", 1, 1),
        ("我喜欢喝美式咖啡", "我喜欢喝拿铁咖啡", 0.5, 0.9),
        ("I like tea.", "The bus is late.", 0, 0.4),
        ("a", "a", 1, 1),
        ("", "", 1, 1),
    ],
)
def test_likeness(one: str, other: str, least: float, most: float) -> None:
    assert least <= similarity(one, other) <= most
