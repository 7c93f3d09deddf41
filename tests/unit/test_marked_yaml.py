"""YAML with lines: scalars of YAML 1.2, faults with their place, marks."""

import math

import pytest

from memu_py.errors import ConfigError
from memu_py.marked_yaml import MAX_DEPTH, Document, Mark, load_yaml


def value(text: str) -> object:
    return load_yaml(f"x: {text}\n", file="f.yaml").value["x"]


@pytest.mark.parametrize("word", ["yes", "no", "on", "off", "Yes", "NO", "y", "n"])
def test_words_of_yaml_1_1_are_words(word: str) -> None:
    assert value(word) == word


@pytest.mark.parametrize(
    "text", ["1_000", "1:30", "12:30:45", "2024-01-02", "2024-01-02T03:04:05Z", "0b11", "="]
)
def test_numbers_and_dates_of_yaml_1_1_are_text(text: str) -> None:
    assert value(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", 12),
        ("012", 12),
        ("-3", -3),
        ("+4", 4),
        ("0o17", 15),
        ("0xFF", 255),
        ("1.5", 1.5),
        ("1.", 1.0),
        (".5", 0.5),
        ("-1e-3", -0.001),
        (".inf", math.inf),
        ("-.Inf", -math.inf),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        ('"true"', "true"),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
        ("美式咖啡", "美式咖啡"),
        ("[a, {b: c}]", ["a", {"b": "c"}]),
        ("&one [1, 2]", [1, 2]),
    ],
)
def test_core_scalars(text: str, expected: object) -> None:
    found = value(text)

    assert found == expected
    assert type(found) is type(expected)


def test_nan_is_a_number() -> None:
    found = value(".nan")

    assert isinstance(found, float)
    assert math.isnan(found)


def test_an_alias_stands_for_its_anchor() -> None:
    assert load_yaml("a: &x [1]\nb: *x\n", file="f").value == {"a": [1], "b": [1]}


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing but words\n", "---\n"])
def test_an_empty_document_is_none(text: str) -> None:
    assert load_yaml(text, file="f").value is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "f.yaml:3:1: the key `a` is here twice (the first is on line 1)"),
        ("a:\n  1: x\n", "f.yaml:2:3: a key must be text, not `1` (put it in quotes)"),
        ("true: x\n", "f.yaml:1:1: a key must be text, not `true` (put it in quotes)"),
        ("? [a]\n: b\n", "f.yaml:1:3: a key must be text, not a list or mapping (put it in quotes)"),
        ("a: &x {b: *x}\n", "f.yaml:1:4: an anchor holds itself (write the value out)"),
        (
            "a: !!python/object:os.system x\n",
            "f.yaml:1:4: the tag `!!python/object:os.system` cannot be used here",
        ),
        ("a: !!set {b}\n", "f.yaml:1:4: the tag `!!set` cannot be used here"),
        ("a: !!omap [b: c]\n", "f.yaml:1:4: the tag `!!omap` cannot be used here"),
        ("a: !!timestamp 2024-01-02\n", "f.yaml:1:4: the tag `!!timestamp` cannot be used here"),
        ("a: !own x\n", "f.yaml:1:4: the tag `!own` cannot be used here"),
        ("<<: {a: 1}\n", "f.yaml:1:1: `<<` is no part of YAML 1.2 (write the keys out)"),
        ("a: !!int x\n", "f.yaml:1:4: `x` is no int"),
        ("a: !!bool x\n", "f.yaml:1:4: `x` is no bool"),
        (f"a: {'9' * 5000}\n", f"f.yaml:1:4: `{'9' * 40}` is no int"),
        ("a: b: c\n", "f.yaml:1:5: mapping values are not allowed here (quote a text that holds `: `"),
        ("a:\n\t- b\n", "f.yaml:2:1: while scanning for the next token, found character '\\t'"),
        ("a: [1,\n", "f.yaml:2:1: while parsing a flow node"),
        ("a: *y\n", "f.yaml:1:4: found undefined alias 'y' (an alias `*name` needs an anchor"),
        ("a\n---\nb\n", "f.yaml:2:1: expected a single document"),
        ("%YAML 3.0\n---\na\n", "f.yaml:1:1: found incompatible YAML document"),
        ("ab: c\nd: \x07\n", "f.yaml:2:4: the character U+0007 is not allowed in YAML"),
        ("a: \ud800", "f.yaml:1:4: the character U+D800 is not allowed in YAML"),
        ("[" * 3000, f"f.yaml:1:{MAX_DEPTH + 1}: nested more than {MAX_DEPTH} deep"),
    ],
)
def test_faults_name_their_place(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_yaml(text, file="f.yaml")

    assert str(caught.value).startswith(message)


def test_a_document_that_unfolds_without_end_is_refused() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [
        f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]"
        for old, new in zip("abcdefg", "bcdefgh", strict=True)
    ]

    with pytest.raises(ConfigError, match="unfolds to more than 100000 values"):
        load_yaml("\n".join(lines), file="f")


TEXT = """\
llm:
  default:
    model: gpt
steps:
  - first
  - use: second
    with: {k: 5}
"""


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ((), (1, 1)),
        (("llm",), (2, 3)),
        (("llm", "default", "model"), (3, 12)),
        (("steps", 0), (5, 5)),
        (("steps", 1, "with", "k"), (7, 15)),
        (("steps", 7), (5, 3)),
        (("steps", -1), (5, 3)),
        (("steps", "use"), (5, 3)),
        (("llm", "cheap", "model"), (2, 3)),
        (("llm", "default", "model", "deeper"), (3, 12)),
        (("nothing",), (1, 1)),
    ],
)
def test_a_mark_is_the_place_of_the_value_or_of_the_nearest_around_it(
    path: tuple[str | int, ...], place: tuple[int, int]
) -> None:
    mark = load_yaml(TEXT, file="config.yaml").mark(path)

    assert mark == Mark(file="config.yaml", line=place[0], column=place[1])


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("llm",), (1, 1)),
        (("llm", "default"), (2, 3)),
        (("steps", 1), (6, 5)),
        (("steps", 1, "with"), (7, 5)),
        (("llm", "cheap"), (1, 1)),
        ((), (1, 1)),
    ],
)
def test_a_key_has_a_mark_of_its_own(path: tuple[str | int, ...], place: tuple[int, int]) -> None:
    mark = load_yaml(TEXT, file="config.yaml").key_mark(path)

    assert (mark.line, mark.column) == place


def test_data_that_was_no_text_has_a_file_and_no_line() -> None:
    document = Document({"a": 1}, file="configuration")

    assert str(document.mark(("a",))) == "configuration"
    assert str(document.key_mark(("a",))) == "configuration"
