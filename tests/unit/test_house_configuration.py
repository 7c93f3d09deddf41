"""docs/configuration.md lists every key of config.yaml, with the description and default of its model."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from memu_py.config.load import load_settings
from memu_py.config.settings import Settings

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "configuration.md"
PLAIN = (str, int, float, bool, tuple, Path)
YAML_BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def models(annotation: Any) -> list[type[BaseModel]]:
    """Find the sections inside a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in (Union, UnionType, Annotated, dict, tuple):
        return [model for part in get_args(annotation) for model in models(part)]
    return []


def key(prefix: str, name: str, annotation: Any) -> str:
    many = {dict: ".<name>", tuple: "[]"}.get(get_origin(annotation), "") if models(annotation) else ""
    return f"{prefix}{name}{many}"


def default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.default
    if value in ((), "") or not isinstance(value, PLAIN) or len(str(value)) > 30:
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`[{', '.join(map(str, value))}]`" if isinstance(value, tuple) else f"`{value}`"


def rows(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        label = key(prefix, field.alias or name, field.annotation)
        inner = models(field.annotation)
        if not inner:
            yield f"| `{label}` | {default(field)} | {field.description} |"
        for section in inner:
            yield from rows(section, f"{label}.")


def test_every_key_has_its_row() -> None:
    expected = list(rows(Settings))
    page = PAGE.read_text(encoding="utf-8").splitlines()

    missing = [row for row in expected if row not in page]
    stale = [row for row in page if re.match(r"\| `[a-z_]+[.`]", row) and row not in expected]

    assert "| `retrieve.top_k` | `10` | hits of each layer |" in expected
    assert missing == [], "\n".join(missing)
    assert stale == [], "\n".join(stale)


@pytest.mark.parametrize("page", ["README.md", "docs/configuration.md"])
def test_the_configurations_shown_load_without_a_key(page: str) -> None:
    blocks = YAML_BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))

    assert blocks
    for block in blocks:
        assert load_settings(block, env={"MEMU_HOME": "/srv"}).file
