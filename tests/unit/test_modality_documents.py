"""Plain text and Markdown."""

from typing import Any

import pytest

from memu_py.errors import InvalidInput
from memu_py.modality.markdown import MarkdownParser
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions, Parser
from memu_py.modality.raw import Raw
from memu_py.modality.text import TextParser

SHORT = ParseOptions(group_chars=60)


def read(parser: Parser, content: str | bytes, options: ParseOptions, name: str | None) -> Parsed:
    data = content if isinstance(content, bytes) else content.encode()
    result = parser.parse(Raw(data=data, name=name), options=options)
    for place, segment in enumerate(result.segments):
        assert result.text[segment.start : segment.end] == segment.text
        assert segment.ordinal == place
    return result


def text(content: str | bytes, options: ParseOptions = DEFAULT_OPTIONS, name: str | None = None) -> Parsed:
    return read(TextParser(), content, options, name)


def markdown(content: str, options: ParseOptions = DEFAULT_OPTIONS, name: str | None = None) -> Parsed:
    return read(MarkdownParser(), content, options, name)


def pieces(result: Parsed) -> list[tuple[str, dict[str, Any]]]:
    return [(segment.text, dict(segment.metadata)) for segment in result.segments]


def test_short_paragraphs_are_one_segment_each() -> None:
    result = text("I like tea. I live in Oslo.\n\n\nMy cat is Miso.\n")
    assert [(one.kind, one.text) for one in result.segments] == [
        ("paragraph", "I like tea. I live in Oslo."),
        ("paragraph", "My cat is Miso."),
    ]
    assert (result.modality, result.media_type) == ("text", "text/plain")


def test_a_long_paragraph_is_groups_of_sentences() -> None:
    result = text(
        "The first sentence is here. The second one as well. The third one follows.\n\nDone.", SHORT
    )
    assert [(one.kind, one.text) for one in result.segments] == [
        ("sentences", "The first sentence is here. The second one as well."),
        ("sentences", "The third one follows."),
        ("paragraph", "Done."),
    ]


def test_windows_line_ends_keep_offsets_and_paragraphs() -> None:
    result = text("one\r\n\r\ntwo\r\n")
    assert [one.text for one in result.segments] == ["one", "two"]
    assert result.text == "one\r\n\r\ntwo\r\n"


def test_a_document_has_no_speaker_and_no_time() -> None:
    (segment,) = text("tea").segments
    assert (segment.speaker, segment.role, segment.said_at, segment.metadata) == (None, None, None, {})


@pytest.mark.parametrize("content", ["", " \n\n\t", b"\xff\xfe", b"\xef\xbb\xbf \n"])
def test_nothing_but_white_space_is_refused(content: str | bytes) -> None:
    with pytest.raises(InvalidInput, match="nothing to read"):
        text(content)


def test_the_title_of_a_text_is_its_file_or_its_first_words() -> None:
    assert text("I like tea.", name="note.txt").title == "note.txt"
    assert text("I like tea.\n\nAnd more.").title == "I like tea. And more."


DOCUMENT = """\
# Garden *notebook*

Above all.

## Beds

The north bed.
Still the north bed.

### Soil

Clay.

## Sown

- broad beans
- carrots
  with radishes

Setext
------

> quoted words

```python
code = 1

more()
```

    indented

| a | b |
|---|---|
| 1 | 2 |

***

<!-- a comment -->

<div>html</div>
"""


def test_headings_are_the_path_of_what_stands_below() -> None:
    garden = "Garden notebook"
    assert pieces(markdown(DOCUMENT)) == [
        ("Above all.", {"section": [garden]}),
        ("The north bed.\nStill the north bed.", {"section": [garden, "Beds"]}),
        ("Clay.", {"section": [garden, "Beds", "Soil"]}),
        ("- broad beans\n- carrots\n  with radishes", {"section": [garden, "Sown"], "block": "list"}),
        ("> quoted words", {"section": [garden, "Setext"]}),
        (
            "```python\ncode = 1\n\nmore()\n```",
            {"section": [garden, "Setext"], "block": "code", "language": "python"},
        ),
        ("indented", {"section": [garden, "Setext"], "block": "code"}),
        ("| a | b |\n|---|---|\n| 1 | 2 |", {"section": [garden, "Setext"], "block": "table"}),
        ("<div>html</div>", {"section": [garden, "Setext"]}),
    ]


def test_windows_line_ends_change_nothing_but_themselves() -> None:
    unix = [(one, meta) for one, meta in pieces(markdown(DOCUMENT))]
    windows = [
        (one.replace("\r\n", "\n"), meta) for one, meta in pieces(markdown(DOCUMENT.replace("\n", "\r\n")))
    ]
    assert windows == unix


def test_code_and_tables_stay_whole_however_long() -> None:
    code = "```\n" + "a line of code. And more.\n\n" * 20 + "```"
    table = "| a | b |\n|---|---|\n" + "| one. Two | three |\n" * 20
    result = markdown(f"{code}\n\n{table}", SHORT)
    assert [segment.text for segment in result.segments] == [code, table.strip()]


def test_a_long_paragraph_is_groups_of_sentences_of_its_section() -> None:
    result = markdown(
        "# A\n\nThe first sentence is here. The second one as well. The third one follows.", SHORT
    )
    assert [(one.kind, dict(one.metadata)) for one in result.segments] == [
        ("sentences", {"section": ["A"]})
    ] * 2


def test_short_points_of_a_list_belong_together() -> None:
    content = "".join(f"- point {number}\n" for number in range(12))
    groups = [one.text for one in markdown(content, SHORT).segments]
    assert len(groups) == 3
    assert all(len(group) <= 60 for group in groups)
    assert "\n".join(groups) == content.strip()


def test_long_points_of_a_list_stand_alone() -> None:
    content = "1. In March I sowed forty broad beans in two rows.\n2. In May the tomatoes moved to the south wall.\n"
    assert [one.text for one in markdown(content).segments] == content.strip().split("\n")


def test_a_very_long_point_is_groups_of_sentences() -> None:
    content = "- The first sentence is here. The second one as well. The third one follows.\n"
    assert [one.text for one in markdown(content, SHORT).segments] == [
        "- The first sentence is here. The second one as well.",
        "The third one follows.",
    ]


def test_a_heading_with_nothing_below_is_a_statement() -> None:
    assert pieces(markdown("# Todo\n\n## Buy milk\n\n## Call [Ann](http://x.org)\n")) == [
        ("## Buy milk", {"section": ["Todo"]}),
        ("## Call [Ann](http://x.org)", {"section": ["Todo"]}),
    ]
    assert pieces(markdown("# Only this")) == [("# Only this", {})]


def test_front_matter_is_context_and_may_name_the_document() -> None:
    result = markdown('---\ntitle: "My trip"\ntags: [a]\n---\n# Heading\n\nText.\n', name="trip.md")
    front, body = result.segments
    assert (front.kind, front.metadata) == ("context", {"block": "front matter"})
    assert (body.text, body.metadata) == ("Text.", {"section": ["Heading"]})
    assert result.title == "My trip"
    assert markdown("---\ntags: [a]\n---\n# Heading\n\nText.\n").title == "Heading"


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert [one.kind for one in markdown("---\nprose\n\n---\n\nmore").segments] == ["paragraph", "paragraph"]


def test_the_title_is_the_first_heading_then_the_file() -> None:
    assert markdown("Text.\n\n# Heading\n\nText.", name="x.md").title == "Heading"
    assert markdown("Text.", name="x.md").title == "x.md"


def test_white_space_of_other_scripts_makes_no_segment() -> None:
    assert [one.text for one in markdown("\u3000\n\ntea\n\n\u00a0\n").segments] == ["tea"]


def test_a_document_of_comments_only_has_no_segments() -> None:
    assert markdown("<!-- nothing\n\nhere -->").segments == ()
