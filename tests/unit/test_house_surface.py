"""What the package shows: public names, the tree of errors, docstrings."""

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import memu_py
from memu_py import errors

ROOT = Path(__file__).parents[2]
Documented = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def drawn_tree(text: str) -> dict[str, str]:
    """Read a tree drawn with box characters: name → name of its parent."""
    parents: dict[str, str] = {}
    path: list[str] = []
    for line in text.splitlines():
        match = re.match(r"^ {4}((?:│ {3}| {4})*(?:[├└]── )?)([A-Z]\w+)", line)
        if match is None:
            continue
        depth = len(match[1]) // 4
        path[depth:] = [match[2]]
        if depth:
            parents[match[2]] = path[depth - 1]
    return parents


def public_definitions(tree: ast.Module | ast.ClassDef, prefix: str) -> Iterator[tuple[str, Documented]]:
    for node in tree.body:
        if not isinstance(node, Documented) or node.name.startswith("_"):
            continue
        yield f"{prefix}.{node.name}", node
        if isinstance(node, ast.ClassDef):
            yield from public_definitions(node, f"{prefix}.{node.name}")


def needs_docstring(node: Documented) -> bool:
    """Overloads and setters share the docstring of the function beside them."""
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    return not names & {"overload", "setter", "override"}


def test_the_public_names_are_sorted_and_all_there() -> None:
    assert list(memu_py.__all__) == sorted(memu_py.__all__)
    assert [name for name in memu_py.__all__ if not hasattr(memu_py, name)] == []


def test_nothing_else_leaks_from_the_package() -> None:
    names = {
        name
        for name, value in vars(memu_py).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    }

    assert names <= set(memu_py.__all__)


def test_every_error_is_drawn_in_the_tree() -> None:
    classes = {
        name: value
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.MemuError)
    }
    parents = {name: value.__bases__[0].__name__ for name, value in classes.items() if name != "MemuError"}

    assert drawn_tree(errors.__doc__ or "") == parents


def test_every_public_definition_has_a_docstring() -> None:
    bare = []
    for path in sorted((ROOT / "memu_py").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        name = path.relative_to(ROOT).as_posix()
        if ast.get_docstring(tree) in (None, "", "…"):
            bare.append(name)
        if "migrations/versions" in name:
            continue
        bare += [
            where
            for where, node in public_definitions(tree, name)
            if needs_docstring(node) and not ast.get_docstring(node)
        ]

    assert bare == []


def test_the_command_line_starts_without_what_is_slow_to_load() -> None:
    code = "import sys, memu_py.cli.app; print(*{'numpy', 'sqlalchemy', 'pydantic', 'openai'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []
