"""Lids on size and a few habits, held on every file of the house."""

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULE_LINES = 400
BODY_LINES = 50
MEDIAN_BODY_LINES = 10
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "misc", "common"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_files() -> list[Path]:
    folders = ("memu_py", "tests", "benchmarks", "examples", ".ci")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def rust_files() -> list[Path]:
    return sorted(path for path in (ROOT / "rust_core").rglob("*.rs") if "target" not in path.parts)


def line_count(path: Path) -> int:
    """Lines of a module; Rust keeps unit tests at the end of the file they test, and they do not count."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".rs":
        text = text.partition("#[cfg(test)]")[0]
    return len(text.splitlines())


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def body_length(function: Function) -> int:
    """Lines of a body without its docstring."""
    body = function.body
    if ast.get_docstring(function, clean=False) is not None:
        body = body[1:]
    if not body:
        return 0
    return (body[-1].end_lineno or body[-1].lineno) - body[0].lineno + 1


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def swallows_everything(handler: ast.ExceptHandler) -> bool:
    broad = handler.type is None or (
        isinstance(handler.type, ast.Name) and handler.type.id in {"Exception", "BaseException"}
    )
    silent = all(
        isinstance(statement, ast.Pass | ast.Continue)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in handler.body
    )
    return broad and silent


def test_no_module_is_longer_than_its_lid() -> None:
    lengths = {named(path): line_count(path) for path in [*python_files(), *rust_files()]}

    assert {"memu_py/errors.py", "rust_core/src/lib.rs"} <= lengths.keys()
    assert {name: length for name, length in lengths.items() if length > MODULE_LINES} == {}


def test_no_body_is_longer_than_its_lid() -> None:
    long = {
        f"{named(path)}:{function.lineno} {function.name}": body_length(function)
        for path in python_files()
        for function in functions(parsed(path))
        if body_length(function) > BODY_LINES
    }

    assert long == {}


def test_the_median_function_is_short() -> None:
    lengths = [
        body_length(function)
        for path in sorted((ROOT / "memu_py").rglob("*.py"))
        for function in functions(parsed(path))
    ]
    median = statistics.median(lengths)
    print(f"{len(lengths)} functions, median {median} lines, longest {max(lengths)}")  # noqa: T201

    assert median < MEDIAN_BODY_LINES


def test_modules_are_named_after_what_they_hold() -> None:
    assert [named(path) for path in python_files() if path.stem in VAGUE_NAMES] == []


def test_no_error_is_swallowed_without_a_word() -> None:
    silent = [
        f"{named(path)}:{node.lineno}"
        for path in python_files()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ExceptHandler) and swallows_everything(node)
    ]

    assert silent == []


def test_no_import_hides_behind_type_checking_but_for_a_quick_start() -> None:
    """A cycle is a fault of the layout; only the root and the command line load what is slow when it is needed."""
    hidden = {
        named(path)
        for path in python_files()
        for node in ast.walk(parsed(path))
        if "TYPE_CHECKING" in (getattr(node, "id", ""), getattr(node, "attr", ""))
    }

    assert {name for name in hidden if not name.startswith("memu_py/cli/")} == {"memu_py/__init__.py"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f():\n    '''Doc.\n\n    More.\n    '''\n    x = 1\n    return x\n", 2),
        ("def f():\n    '''Doc.'''\n", 0),
        ("def f(\n    a,\n    b,\n):\n    return (\n        a\n    )\n", 3),
    ],
)
def test_a_docstring_is_no_part_of_a_body(source: str, expected: int) -> None:
    (function,) = functions(ast.parse(source))

    assert body_length(function) == expected


@pytest.mark.parametrize(
    ("clause", "found"),
    [
        ("except Exception: pass", True),
        ("except: ...", True),
        ("except OSError: pass", False),
        ("except Exception: raise", False),
    ],
)
def test_what_counts_as_swallowing(clause: str, found: bool) -> None:
    (handler,) = (
        node for node in ast.walk(ast.parse(f"try: f()\n{clause}")) if isinstance(node, ast.ExceptHandler)
    )

    assert swallows_everything(handler) is found
