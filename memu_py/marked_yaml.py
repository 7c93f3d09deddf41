"""YAML whose every value knows its line.

One reader for config.yaml and for workflows. Scalars follow the core schema of YAML 1.2 (section 10.3.2):
`no`, `on` and dates are words, `012` is twelve, `1_000` and `1:30` are text. Duplicate keys, keys that are
not text, tags beyond the core schema and documents that unfold into something huge are errors that name file,
line and column.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import Any

import yaml

from memu_py.errors import ConfigError

MAX_NODES = 100_000
"""Values a document may have once its aliases are unfolded."""

MAX_DEPTH = 64
"""How deep a document may nest."""

MERGE_KEY = "<<"
TAG = "tag:yaml.org,2002:"

Path = tuple[str | int, ...]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """A place in a file.

    Attributes:
        file: its name as it was given.
        line: from 1; 0 when the value was not read from text.
        column: from 1; 0 likewise.

    >>> str(Mark(file="config.yaml", line=3, column=5))
    'config.yaml:3:5'
    """

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


class Document:
    """Plain data with the place of each value.

    Attributes:
        file: the name of the file.
        value: the data: None, bool, int, float, str, lists, and mappings with text keys.
    """

    def __init__(self, value: Any, *, file: str, root: yaml.Node | None = None) -> None:
        self.value = value
        self.file = file
        self._root = root

    def mark(self, path: Path) -> Mark:
        r"""Return the place of a value, or of the nearest one around it when there is no such value.

        Args:
            path: keys and positions from the top.

        >>> load_yaml("a:\n  - b\n  - c\n", file="f").mark(("a", 1))
        Mark(file='f', line=3, column=5)
        """
        return self._place(self._walk(path)[1])

    def key_mark(self, path: Path) -> Mark:
        r"""Return the place of a value's key; of the value itself for a list's member or the top.

        Args:
            path: keys and positions from the top; as in `mark`, the nearest that exists.

        >>> load_yaml("a:\n  b: 1\n", file="f").key_mark(("a",))
        Mark(file='f', line=1, column=1)
        """
        return self._place(self._walk(path)[0])

    def _place(self, node: yaml.Node | None) -> Mark:
        if node is None:
            return Mark(file=self.file)
        return _mark(self.file, node.start_mark)

    def _walk(self, path: Path) -> tuple[yaml.Node | None, yaml.Node | None]:
        """Return the node of the key and that of the value."""
        pair = (self._root, self._root)
        for step in path:
            found = _child(pair[1], step)
            if found is None:
                break
            pair = found
        return pair


def load_yaml(text: str, *, file: str) -> Document:
    r"""Read a YAML document.

    Args:
        text: the document; an empty one has the value None.
        file: its name, for error messages.

    Raises:
        ConfigError: it is no YAML, or is not usable as said above; with `file:line:column`.

    >>> load_yaml("country: no\nport: 0x1F\n", file="f").value
    {'country': 'no', 'port': 31}
    """
    root = _compose(text, file)
    return Document(None if root is None else _Reader(file).read(root), file=file, root=root)


def _mark(file: str, mark: yaml.Mark) -> Mark:
    return Mark(file=file, line=mark.line + 1, column=mark.column + 1)


def _child(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
        return node.value[step], node.value[step]
    return None


class _Loader(yaml.SafeLoader):
    """PyYAML's reader with the scalars of YAML 1.2 and a lid on depth."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - PyYAML's own class attribute, filled below

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose one node, no deeper than the lid."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            where = self.peek_event().start_mark  # type: ignore[no-untyped-call] # PyYAML's stubs leave it open
            raise yaml.MarkedYAMLError(problem=f"nested more than {MAX_DEPTH} deep", problem_mark=where)
        node: yaml.Node | None = super().compose_node(parent, index)
        self._depth -= 1
        return node


_CORE_SCALARS: tuple[tuple[str, str, str | None], ...] = (
    ("null", r"~|null|Null|NULL|", None),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        "-+.0123456789",
    ),
)
for _name, _pattern, _first in _CORE_SCALARS:
    _Loader.add_implicit_resolver(
        TAG + _name,
        re.compile(rf"^(?:{_pattern})$", re.ASCII),
        list(_first) if _first else ["~", "n", "N", ""],
    )


def _compose(text: str, file: str) -> yaml.Node | None:
    try:
        loader = _Loader(text)
        try:
            return loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise _bad_yaml(error, file) from error
    except yaml.reader.ReaderError as error:
        place = _place_of(text, error.position, file)
        msg = f"{place}: the character U+{ord(text[error.position]):04X} is not allowed in YAML"
        raise ConfigError(msg, hint="write it as an escape in double quotes, or take it out") from error


def _bad_yaml(error: yaml.MarkedYAMLError, file: str) -> ConfigError:
    where = error.problem_mark or error.context_mark
    place = _mark(file, where) if where else Mark(file=file)
    parts = [part for part in (error.context, error.problem) if part]
    return ConfigError(f"{place}: {', '.join(parts)}", hint=_hint(error.problem or ""))


_HINTS: tuple[tuple[str, str], ...] = (
    ("mapping values are not allowed", "quote a text that holds `: `, and check the indentation"),
    (
        "cannot start any token",
        "indent with spaces, and quote a text that begins with a tab, `@`, `` ` `` or `%`",
    ),
    ("could not find expected ':'", "every line of a mapping is `key: value`"),
    ("expected <block end>", "lines of one mapping or list begin in the same column"),
    ("expected a single document", "one file holds one document: take out the second `---`"),
    ("another document", "one file holds one document: take out the second `---`"),
    ("undefined alias", "an alias `*name` needs an anchor `&name` before it"),
    ("escape", "in double quotes a backslash is doubled; single quotes take it as it is"),
)


def _hint(problem: str) -> str | None:
    return next((hint for words, hint in _HINTS if words in problem), None)


def _place_of(text: str, position: int, file: str) -> Mark:
    before = text[:position]
    return Mark(file=file, line=before.count("\n") + 1, column=position - (before.rfind("\n") + 1) + 1)


class _Reader:
    """Turns nodes into plain data, within limits."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._left = MAX_NODES
        self._open: set[int] = set()

    def read(self, node: yaml.Node) -> Any:
        """Return the data of a node."""
        self._left -= 1
        if self._left < 0:
            raise self._fault(
                node, f"the document unfolds to more than {MAX_NODES} values", "use fewer aliases"
            )
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if id(node) in self._open:
            raise self._fault(node, "an anchor holds itself", "write the value out")
        self._open.add(id(node))
        value = dict(self._pairs(node)) if isinstance(node, yaml.MappingNode) else self._list(node)
        self._open.discard(id(node))
        return value

    def _list(self, node: yaml.Node) -> list[Any]:
        if node.tag != f"{TAG}seq":
            raise self._bad_tag(node)
        return [self.read(part) for part in node.value]

    def _pairs(self, node: yaml.MappingNode) -> Iterator[tuple[str, Any]]:
        if node.tag != f"{TAG}map":
            raise self._bad_tag(node)
        seen: dict[str, yaml.Node] = {}
        for key, value in node.value:
            name = self._key(key)
            if name in seen:
                first = _mark(self._file, seen[name].start_mark)
                raise self._fault(
                    key, f"the key `{name}` is here twice", f"the first is on line {first.line}"
                )
            seen[name] = key
            yield name, self.read(value)

    def _key(self, node: yaml.Node) -> str:
        if isinstance(node, yaml.ScalarNode) and node.tag == f"{TAG}str":
            if node.value == MERGE_KEY and node.style is None:
                raise self._fault(node, f"`{MERGE_KEY}` is no part of YAML 1.2", "write the keys out")
            return str(node.value)
        what = f"`{node.value}`" if isinstance(node, yaml.ScalarNode) else "a list or mapping"
        raise self._fault(node, f"a key must be text, not {what}", "put it in quotes")

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        convert = _SCALARS.get(node.tag)
        if convert is None:
            raise self._bad_tag(node)
        try:
            return convert(node.value)
        except (ValueError, KeyError) as error:
            kind = node.tag.removeprefix(TAG)
            raise self._fault(node, f"`{node.value[:40]}` is no {kind}", "put a text in quotes") from error

    def _bad_tag(self, node: yaml.Node) -> ConfigError:
        tag = node.tag.replace(TAG, "!!")
        return self._fault(node, f"the tag `{tag}` cannot be used here", "write the value without a tag")

    def _fault(self, node: yaml.Node, what: str, hint: str) -> ConfigError:
        return ConfigError(f"{_mark(self._file, node.start_mark)}: {what}", hint=hint)


def _integer(text: str) -> int:
    return int(text, 0) if text[:2] in ("0o", "0x") else int(text)


def _float(text: str) -> float:
    return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))


_BOOLEANS = {"true": True, "false": False}
_SCALARS: dict[str, Callable[[str], Any]] = {
    f"{TAG}null": lambda _: None,
    f"{TAG}bool": lambda text: _BOOLEANS[text.lower()],
    f"{TAG}int": _integer,
    f"{TAG}float": _float,
    f"{TAG}str": str,
}
