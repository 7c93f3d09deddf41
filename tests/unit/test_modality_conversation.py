"""Conversations in the forms of the chat APIs."""

import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memu_py.errors import InvalidInput
from memu_py.modality.conversation import ConversationParser
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.records.resource import Segment


def parsed(content: Any, options: ParseOptions = DEFAULT_OPTIONS, **raw: Any) -> Parsed:
    text = content if isinstance(content, str) else json.dumps(content)
    result = ConversationParser().parse(
        Raw(data=text.encode("utf-8", "surrogatepass"), **raw), options=options
    )
    for place, segment in enumerate(result.segments):
        assert result.text[segment.start : segment.end] == segment.text
        assert segment.ordinal == place
    return result


def only(entry: Any, options: ParseOptions = DEFAULT_OPTIONS) -> Segment:
    (segment,) = parsed([entry], options).segments
    return segment


def said(content: Any) -> list[str]:
    return [segment.text for segment in parsed(content).segments]


CHAT = [
    {
        "role": "user",
        "name": "Ann",
        "content": "I moved to Lisbon.",
        "id": "m1",
        "created_at": "2026-03-02T09:00:00Z",
    },
    {"role": "assistant", "content": "How exciting!"},
]


def test_a_message_becomes_a_turn_with_all_that_it_says_of_itself() -> None:
    segment = parsed(CHAT).segments[0]
    assert (segment.kind, segment.text, segment.speaker, segment.role) == (
        "turn",
        "I moved to Lisbon.",
        "Ann",
        "user",
    )
    assert segment.said_at == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert segment.metadata == {"id": "m1"}


def test_the_text_is_a_transcript() -> None:
    result = parsed(CHAT)
    assert result.text == "Ann: I moved to Lisbon.\nassistant: How exciting!\n"
    assert (result.modality, result.media_type) == ("conversation", "application/json")


def test_a_conversation_that_grew_begins_with_the_text_of_the_shorter_one() -> None:
    assert parsed(CHAT).text.startswith(parsed(CHAT[:1]).text)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(CHAT),
        json.dumps({"messages": CHAT, "session": "s"}),
        "\n".join(json.dumps(one) for one in CHAT),
        "\r\n\r\n".join(json.dumps(one) for one in CHAT),
        json.dumps([{"messages": CHAT[:1]}, {"messages": CHAT[1:]}]),
    ],
    ids=["array", "mapping", "lines", "lines with gaps", "sessions"],
)
def test_every_form_gives_the_same_turns(content: str) -> None:
    hashes = [segment.hash for segment in parsed(CHAT).segments]
    assert [segment.hash for segment in parsed(content).segments] == hashes


def test_json_lines_have_a_media_type_of_their_own() -> None:
    assert parsed("\n".join(json.dumps(one) for one in CHAT)).media_type == "application/x-ndjson"


def test_plain_strings_are_what_the_user_says() -> None:
    segments = parsed(["I like tea", " ", "me too"]).segments
    assert [(one.text, one.role, one.speaker) for one in segments] == [
        ("I like tea", "user", None),
        ("me too", "user", None),
    ]


def test_messages_that_a_program_hands_over_need_no_reading() -> None:
    entries = ({"role": "user", "content": "hi"},)
    result = ConversationParser().parse(Raw(data=b"[]", messages=entries))
    assert [segment.text for segment in result.segments] == ["hi"]
    assert result.messages == entries


@pytest.mark.parametrize(
    ("given", "role", "speaker"),
    [
        ("user", "user", None),
        ("Human", "user", None),
        ("ASSISTANT", "assistant", None),
        ("model", "assistant", None),
        ("Ann", "user", "Ann"),
        (None, "user", None),
    ],
)
def test_roles_are_read_as_they_are_written_elsewhere(given: Any, role: str, speaker: str | None) -> None:
    segment = only({"role": given, "content": "x"})
    assert (segment.role, segment.speaker, segment.kind) == (role, speaker, "turn")


@pytest.mark.parametrize("role", ["system", "developer", "tool", "function"])
def test_system_and_tool_messages_are_context(role: str) -> None:
    assert only({"role": role, "content": "Oslo: snow"}).kind == "context"


def test_a_name_may_stand_under_speaker_and_goes_before_the_role() -> None:
    assert only({"role": "Bot 7", "speaker": "Ann", "content": "x"}).speaker == "Ann"
    assert only({"role": "user", "name": "", "content": "x"}).speaker is None


def test_tool_calls_are_context_beside_what_was_said() -> None:
    call = {"id": "t1", "function": {"name": "weather", "arguments": "{}"}}
    spoken, calls = parsed([{"role": "assistant", "content": "Let me look.", "tool_calls": [call]}]).segments
    assert (spoken.kind, spoken.text) == ("turn", "Let me look.")
    assert calls.kind == "context"
    assert json.loads(calls.text) == [call]
    silent = only({"role": "assistant", "content": None, "tool_calls": [call]})
    assert silent.kind == "context"
    old = only({"role": "assistant", "function_call": {"name": "f"}})
    assert json.loads(old.text) == {"name": "f"}


def test_content_may_come_in_parts() -> None:
    result = parsed(
        [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Look at"},
                    "this:",
                    {"type": "image_url", "image_url": {"url": "data:..."}},
                    {"type": "input_audio"},
                    {"type": "image_url"},
                    {"type": "text", "text": " "},
                    7,
                ],
            },
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "name": "f"}, {"type": "text", "text": "ok"}],
            },
        ]
    )
    assert [(one.text, one.kind) for one in result.segments] == [
        ("Look at\nthis:", "turn"),
        ("ok", "turn"),
        ('{"type":"tool_use","name":"f"}', "context"),
    ]
    assert result.warnings == (
        "message 1: its parts of type image_url, input_audio, int are kept in the original and not read",
    )


@pytest.mark.parametrize(
    "given",
    [
        "2023-05-08T13:56:00Z",
        "2023-05-08T15:56:00+02:00",
        "2023-05-08 13:56",
        "2023-05-08T13:56:00.000",
        1683554160,
        1683554160.0,
        1683554160000,
        1683554160000000,
        1683554160000000000,
        "1683554160",
        "1683554160.000",
        "Mon, 08 May 2023 13:56:00 +0000",
    ],
)
@pytest.mark.parametrize("key", ["created_at", "timestamp"])
def test_times_are_read_in_every_usual_form(given: Any, key: str) -> None:
    segment = only({"role": "user", "content": "x", key: given})
    assert segment.said_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert segment.said_at.tzinfo is UTC
    assert segment.metadata == {}


def test_a_time_without_a_zone_is_meant_in_that_of_the_call() -> None:
    options = ParseOptions(zone=ZoneInfo("Asia/Shanghai"))
    segment = only({"role": "user", "content": "x", "created_at": "2023-05-08T08:00"}, options)
    assert segment.said_at == datetime(2023, 5, 8, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "given", ["yesterday", "12.5", 12.5, True, [1], "0001-01-01T00:00:00+14:00", 1e300, "99:99", -1683554160]
)
def test_a_time_that_is_none_is_told_and_kept(given: Any) -> None:
    result = parsed([{"role": "user", "content": "x", "timestamp": given}])
    assert result.segments[0].said_at is None
    assert result.segments[0].metadata == {"timestamp": given}
    assert result.warnings[0].startswith("message 1: ")


def test_an_empty_time_is_no_time() -> None:
    result = parsed([{"role": "user", "content": "x", "created_at": "", "timestamp": None}])
    assert (result.segments[0].said_at, result.warnings) == (None, ())


def test_whatever_else_comes_with_a_message_is_metadata() -> None:
    segment = only(
        {"role": "user", "content": "x", "id": 7, "mood": "good", "metadata": {"topic": "tea", "id": "other"}}
    )
    assert segment.metadata == {"id": 7, "mood": "good", "topic": "tea"}
    assert only({"role": "user", "content": "x", "metadata": "note"}).metadata == {"metadata": "note"}


def test_what_is_said_of_a_session_holds_for_its_messages() -> None:
    document = {
        "session": "s1",
        "title": "Tea",
        "created_at": "2023-05-08T13:56:00Z",
        "messages": [
            {"role": "user", "content": "x"},
            {"role": "user", "content": "y", "session": "own", "timestamp": "2024-01-01T00:00:00Z"},
            "plain",
        ],
    }
    result = parsed(document)
    first, second, plain = result.segments
    assert (first.said_at, first.metadata) == (datetime(2023, 5, 8, 13, 56, tzinfo=UTC), {"session": "s1"})
    assert (second.said_at, second.metadata) == (datetime(2024, 1, 1, tzinfo=UTC), {"session": "own"})
    assert plain.text == "plain"
    assert result.title == "Tea"


def test_the_title_is_the_file_the_id_or_the_first_words() -> None:
    assert parsed(CHAT, name="chat.json").title == "chat.json"
    assert parsed(CHAT, url="conversation://chat-123").title == "chat-123"
    assert parsed([{"role": "system", "content": "Be kind."}, "hello"]).title == "hello"
    assert parsed([{"role": "system", "content": "Be kind."}]).title == ""
    assert parsed({"messages": ["hello"], "title": 7}).title == "hello"


def test_equal_messages_have_equal_hashes_and_others_do_not() -> None:
    base = only({"role": "user", "name": "Ann", "content": "I like tea."}).hash
    assert only({"role": "user", "name": "ann", "content": "i like  tea", "id": "x"}).hash == base
    others = [
        {"role": "assistant", "name": "Ann", "content": "I like tea."},
        {"role": "user", "name": "Bob", "content": "I like tea."},
        {"role": "user", "content": "I like tea."},
        {"role": "user", "name": "Ann", "content": "I like teas."},
    ]
    assert base not in {only(other).hash for other in others}


def test_a_long_turn_is_split_between_sentences() -> None:
    sentence = "This sentence says something. "
    result = parsed(
        [{"role": "user", "content": sentence * 10, "id": "m1"}, "short"], ParseOptions(turn_chars=100)
    )
    *parts, short = result.segments
    assert all(len(part.text) <= 100 and part.text.endswith(".") for part in parts)
    assert [part.metadata for part in parts] == [
        {"id": "m1", "part": place + 1, "parts": len(parts)} for place in range(len(parts))
    ]
    assert result.owners == (*[0] * len(parts), 1)
    assert short.metadata == {}


def test_long_context_stays_in_one_piece() -> None:
    content = "This sentence says something. " * 10
    assert len(parsed([{"role": "tool", "content": content}], ParseOptions(turn_chars=100)).segments) == 1


def test_each_segment_knows_its_message() -> None:
    result = parsed(
        [{"role": "user", "content": ""}, "a", {"role": "assistant", "content": "b", "tool_calls": [1]}]
    )
    assert [result.messages[owner] for owner in result.owners] == [
        "a",
        result.messages[2],
        result.messages[2],
    ]


def test_nul_and_lone_surrogates_become_replacement_characters() -> None:
    assert said('["a\\u0000b\\ud800c"]') == ["a\ufffdb\ufffdc"]
    assert only({"role": "A\0", "content": "x"}).speaker == "A\ufffd"


def test_numbers_that_json_does_not_have_become_none() -> None:
    segment = parsed(
        '[{"role": "user", "content": "x", "a": NaN, "b": -Infinity, "c": 1e999, "d": 1.5}]'
    ).segments[0]
    assert segment.metadata == {"a": None, "b": None, "c": None, "d": 1.5}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("prose", "line 1, column 1"),
        ('[{"role": "user"', "line 1, column 17"),
        ('{"role": "user", "content": "a"}\n{"role": ', "JSON Lines: .* at line 2"),
        ('{"role": "user", "content": "a"} trailing', "Extra data"),
        ("[1, 2]", "holds no messages"),
        ("{}", "holds no messages"),
        ("[]", "holds no messages"),
        ('{"messages": []}', "no message with any content"),
        ('[{"role": "user", "content": ""}]', "no message with any content"),
        ('[{"role": "user", "content": "a"}, {"role": "user"}]', "message 2 has no content"),
        ('[{"role": "user", "content": "a"}, 7]', "message 2 is a mapping or a string, not int"),
        ('[{"role": "user", "content": 7}]', "message 1: content is text or a list of parts, not int"),
        ('[{"role": 7, "content": "a"}]', "message 1: role is text, not int"),
        (f'[{{"role": "user", "content": {"9" * 5000}}}]', "not usable JSON"),
        ("[" * 100 + "]" * 100, "deeper than 64"),
        ("[" * 200_000, "deeper than 64"),
    ],
)
def test_what_is_not_well_formed_is_refused_with_its_place(content: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parsed(content)


def test_another_encoding_is_told() -> None:
    data = '["我喜欢喝美式咖啡"]'.encode("gb18030")
    result = ConversationParser().parse(Raw(data=data))
    assert result.segments[0].text == "我喜欢喝美式咖啡"
    assert result.warnings == ("the encoding is not UTF-8; read as gb18030",)
