"""`${NAME}` and `${NAME:-default}` in the strings of a configuration, replaced after parsing.

What a variable holds can therefore never change the structure of the file. `$$` is a plain `$`. A variable
that is empty counts as not set, as in a shell's `:-`.
"""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

_PLACEHOLDER = re.compile(r"\$\$|\$\{(?P<body>[^}]*)\}?")
_BODY = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^${}]*))?")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Unresolved:
    """Stands for a string that needs a variable which is not set. A secret may wait for it, nothing else.

    Attributes:
        variable: the first such variable.
    """

    variable: str

    @property
    def message(self) -> str:
        """What to tell the user."""
        return f"the environment variable {self.variable} is needed here and is not set (or is empty)"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Malformed:
    """Stands for a string with a placeholder that cannot be read.

    Attributes:
        placeholder: as written.
    """

    placeholder: str

    @property
    def message(self) -> str:
        """What to tell the user."""
        return (
            f"cannot read `{self.placeholder}`; write ${{NAME}} or ${{NAME:-default}}, and $$ for a plain $"
        )


def substitute(value: Any, env: Mapping[str, str]) -> Any:
    """Return plain data with the placeholders in its strings replaced; keys stay as they are.

    Args:
        value: mappings, lists, strings and what else YAML has.
        env: the variables.

    Returns:
        The same, where a string that cannot be completed is an `Unresolved` or `Malformed`.

    >>> substitute({"a": ["${X}/b", "$$5", "${Y:-none}"]}, {"X": "top"})
    {'a': ['top/b', '$5', 'none']}
    >>> substitute("${KEY}", {})
    Unresolved(variable='KEY')
    """
    if isinstance(value, str):
        return _complete(value, env)
    if isinstance(value, Mapping):
        return {key: substitute(part, env) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [substitute(part, env) for part in value]
    return value


def _complete(text: str, env: Mapping[str, str]) -> str | Unresolved | Malformed:
    parts: list[str] = []
    end = 0
    for match in _PLACEHOLDER.finditer(text):
        parts.append(text[end : match.start()])
        end = match.end()
        if match[0] == "$$":
            parts.append("$")
            continue
        body = _BODY.fullmatch(match["body"])
        if body is None or not match[0].endswith("}"):
            return Malformed(placeholder=match[0])
        found = env.get(body["name"]) or body["default"]
        if found is None:
            return Unresolved(variable=body["name"])
        parts.append(found)
    return "".join([*parts, text[end:]])
