"""Rules that hold for whatever comes in."""

import contextlib
import itertools
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memu_py.errors import InvalidInput, MemuError
from memu_py.modality.alignment import align
from memu_py.modality.conversation import ConversationParser
from memu_py.modality.detect import PARSERS, detect
from memu_py.modality.matching import matches, similar_pairs
from memu_py.modality.parser import Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.transcript import TranscriptParser
from memu_py.records.resource import Segment

THOROUGH = settings(deadline=None, max_examples=60)
"""Each example goes through every parser twice."""

WORDS = st.sampled_from(["ok", "hi", "I like tea.", "I like coffee.", "My cat is Miso.", "我喜欢茶。", "bye"])
ROLES = st.sampled_from(["user", "assistant", "system"])
MESSAGES = st.lists(st.fixed_dictionaries({"role": ROLES, "content": WORDS}), min_size=1, max_size=12)
KEYS = st.lists(st.sampled_from("abcd"), max_size=12)
OPTIONS = st.builds(ParseOptions, group_chars=st.integers(1, 60), turn_chars=st.integers(1, 60))
# fmt: off
MARKS = [
    "Ann: ", "Bob：", "**Ann:** ", "[2023-05-08 13:56] ", "13:57 ", "(", "\n", "\n\n", "\r\n", "\t", "    ",
    "# ", "## ", "---\n", "---\ntitle: x\n---\n", "```\n", "~~~\n", "- ", "1. ", "  - ", "> ", "|a|b|\n", "|--|--|\n",
    "**", "<!-- ", " -->", "<div>", "{", "}", "[", "]", '"role": ', '"content": ', '"messages": ', ",", '"a"',
    "我喜欢茶。", "I like tea. ", "\0", "\ud800", "\ufeff",
]
# fmt: on
FRAGMENTS = st.lists(st.text(max_size=12) | st.sampled_from(MARKS), max_size=30).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "messages", "text", "type", "name", "id", "created_at", "tool_calls", "x"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


def chat(entries: list[Any], *, ids: bool = False) -> tuple[Segment, ...]:
    messages = [{**entry, "id": f"m{place}"} if ids else entry for place, entry in enumerate(entries)]
    return ConversationParser().parse(Raw(data=b"[]", messages=tuple(messages))).segments


def check(parsed: Parsed) -> None:
    """Offsets are exact, in order and without overlap; text is storable."""
    end = 0
    for place, segment in enumerate(parsed.segments):
        assert segment.ordinal == place
        assert end <= segment.start < segment.end <= len(parsed.text)
        assert parsed.text[segment.start : segment.end] == segment.text == segment.text.strip()
        assert len(segment.hash) == 64
        end = segment.end
    assert "\0" not in parsed.text
    parsed.text.encode()


def read(raw: Raw, options: ParseOptions) -> None:
    """Read it as what it looks like, and as everything that it does not; only typed errors may come."""
    with contextlib.suppress(MemuError):
        check(PARSERS[detect(raw)].parse(raw, options=options))
    for parser in PARSERS.values():
        try:
            parsed = parser.parse(raw, options=options)
        except InvalidInput:
            continue
        check(parsed)
        assert parser.parse(raw, options=options) == parsed


@THOROUGH
@given(st.binary(max_size=200), OPTIONS)
def test_random_bytes_are_read_or_refused(data: bytes, options: ParseOptions) -> None:
    read(Raw(data=data), options)


@THOROUGH
@given(FRAGMENTS, OPTIONS)
def test_random_text_with_marks_is_read_or_refused(text: str, options: ParseOptions) -> None:
    read(Raw(data=text.encode("utf-8", "surrogatepass"), charset="utf-8"), options)


@THOROUGH
@given(JSON, OPTIONS)
def test_random_json_is_read_or_refused(value: Any, options: ParseOptions) -> None:
    read(Raw(data=json.dumps(value).encode()), options)


@THOROUGH
@given(st.lists(JSON, min_size=1, max_size=4), OPTIONS)
def test_random_json_lines_are_read_or_refused(values: list[Any], options: ParseOptions) -> None:
    read(Raw(data="\n".join(map(json.dumps, values)).encode()), options)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["Ann", "Bob Lee", "小美"]), WORDS), min_size=2, max_size=8))
def test_a_transcript_gives_back_who_said_what(turns: list[tuple[str, str]]) -> None:
    text = "".join(f"{name}: {said}\n" for name, said in turns)
    segments = TranscriptParser().parse(Raw(data=text.encode())).segments
    assert [(segment.speaker, segment.text) for segment in segments] == turns


@settings(deadline=None)
@given(MESSAGES, MESSAGES, st.booleans())
def test_growing_by_any_suffix_adds_exactly_the_suffix(old: list[Any], suffix: list[Any], ids: bool) -> None:
    alignment = align(chat(old, ids=ids), chat(old + suffix, ids=ids))
    assert [(one.text, one.role) for one in alignment.added] == [
        (one["content"], one["role"]) for one in suffix
    ]
    assert [one.ordinal for one in alignment.added] == list(range(len(old), len(old) + len(suffix)))
    assert len(alignment.kept) == len(old)
    assert not alignment.changed
    assert not alignment.removed


@settings(deadline=None)
@given(MESSAGES, st.data(), st.booleans())
def test_sending_any_window_again_yields_nothing(old: list[Any], data: st.DataObject, ids: bool) -> None:
    start = data.draw(st.integers(0, len(old) - 1))
    stop = data.draw(st.integers(start + 1, len(old)))
    segments = chat(old, ids=ids)
    alignment = align(segments, segments[start:stop])
    assert not (alignment.added or alignment.changed or alignment.removed)
    assert len(alignment.kept) == stop - start
    for pair in alignment.kept:
        assert pair.old.hash == pair.new.hash
        assert pair.old.ordinal == pair.new.ordinal or not ids


@settings(deadline=None)
@given(MESSAGES, MESSAGES, st.booleans())
def test_nothing_of_a_conversation_is_lost_and_nothing_is_taken_twice(
    old: list[Any], new: list[Any], ids: bool
) -> None:
    before, now = chat(old, ids=ids), chat(new, ids=ids)
    alignment = align(before, now)
    pairs = [*alignment.kept, *alignment.changed]
    assert len(pairs) + len(alignment.added) == len(now)
    assert len({pair.old.ordinal for pair in pairs}) == len(pairs)
    assert len({one.start for one in alignment.added} | {pair.new.start for pair in pairs}) == len(now)
    assert alignment.removed == ()
    assert all(pair.old.ordinal == pair.new.ordinal for pair in pairs)
    ordinals = [one.ordinal for one in alignment.added]
    assert ordinals == list(range(len(before), len(before) + len(ordinals)))
    assert all(pair.old.role == pair.new.role for pair in alignment.changed) or ids


@settings(deadline=None)
@given(st.lists(WORDS, max_size=10), st.lists(WORDS, max_size=10))
def test_a_document_is_exactly_what_it_is_now(old: list[str], new: list[str]) -> None:
    before, now = (
        PARSERS["text"].parse(Raw(data="\n\n".join(text or ["x"]).encode()), options=ParseOptions()).segments
        for text in (old, new)
    )
    alignment = align(before, now)
    pairs = [*alignment.kept, *alignment.changed]
    places = [pair.new for pair in pairs] + list(alignment.added)
    assert sorted(places, key=lambda one: one.ordinal) == list(now)
    olds = [pair.old for pair in pairs] + list(alignment.removed)
    assert sorted(olds, key=lambda one: one.ordinal) == list(before)
    assert all((pair.old.hash == pair.new.hash) == (pair in alignment.kept) for pair in pairs)


@settings(deadline=None)
@given(KEYS, KEYS)
def test_matches_are_equal_and_in_order(old: list[str], new: list[str]) -> None:
    pairs = matches(old, new)
    assert all(old[a] == new[b] for a, b in pairs)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in itertools.pairwise(pairs))


@settings(deadline=None)
@given(KEYS, KEYS, KEYS)
def test_a_sequence_within_another_is_matched_whole(
    before: list[str], part: list[str], after: list[str]
) -> None:
    pairs = matches(before + part + after, part)
    assert [b for _, b in pairs] == list(range(len(part)))
    assert all(two[0] - one[0] == 1 for one, two in itertools.pairwise(pairs))


@settings(deadline=None)
@given(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=6))
def test_pairs_of_similar_texts_are_in_order(old: list[str], new: list[str]) -> None:
    pairs = similar_pairs(old, new, least=0.5)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in itertools.pairwise(pairs))
