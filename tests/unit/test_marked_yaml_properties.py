"""Whatever is read: plain data or a ConfigError that names a place."""

import re

import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from memu_py.errors import ConfigError
from memu_py.marked_yaml import load_yaml

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc日本", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def _is_odd(data: object) -> bool:
    if isinstance(data, list):
        return any(_is_odd(part) for part in data)
    if isinstance(data, dict):
        return any(_is_odd(part) for part in (*data, *data.values()))
    return (
        isinstance(data, str) and re.fullmatch(r"[-+.\d][\d.eExXoO+-]*|.*\x85.*", data, re.DOTALL) is not None
    )


@given(PLAIN)
def test_what_a_dumper_writes_comes_back(data: object) -> None:
    # The dumper writes YAML 1.1, in which a word such as `0E0` needs no quotes: in YAML 1.2 it is a number. It loses a
    # NEL, which its own loader does not read either.
    assume(not _is_odd(data))
    text = yaml.safe_dump({"data": data}, allow_unicode=True)

    assert load_yaml(text, file="f").value == {"data": data}


@given(st.text(alphabet="ab:-[]{}&*!?|>'\"#%@,\n\t \\0123", max_size=60))
def test_any_text_is_read_or_refused_with_its_place(text: str) -> None:
    try:
        document = load_yaml(text, file="f")
    except ConfigError as error:
        assert re.match(r"f:\d+:\d+: ", str(error))
    else:
        assert isinstance(document.value, dict | list | str | int | float | None)


@given(st.dictionaries(st.text("abcd", min_size=1, max_size=4), st.integers(0, 9), min_size=1, max_size=6))
def test_the_marks_of_a_flat_mapping_are_its_lines(data: dict[str, int]) -> None:
    document = load_yaml("".join(f"{key}:   {value}\n" for key, value in data.items()), file="f")

    for line, key in enumerate(data, start=1):
        assert (document.key_mark((key,)).line, document.key_mark((key,)).column) == (line, 1)
        assert (document.mark((key,)).line, document.mark((key,)).column) == (line, len(key) + 5)
