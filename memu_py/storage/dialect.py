"""SQL that each dialect says in its own words: one name here, a form for SQLite and one for PostgreSQL.

PostgreSQL's functions with `memu_` before their names are those of `storage/postgres_functions.py`.
"""

from typing import Any

from sqlalchemy import BigInteger, Boolean, Float, Integer, LargeBinary, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

SQLITE, POSTGRES = "sqlite", "postgresql"


class has_part(FunctionElement[bool]):  # noqa: N801 - named as it is used, like a function
    """Whether a text holds another, both as they are."""

    type = Boolean()
    inherit_cache = True


class number_of(FunctionElement[float]):  # noqa: N801 - as above
    """The value of a member of JSON as a number, given its type too; nothing where it is none."""

    type = Float()
    inherit_cache = True


class members_of(FunctionElement[Any]):  # noqa: N801 - as above
    """The members of a JSON object or list as rows of `key`, `value`, `type`."""

    inherit_cache = True


class by_code(FunctionElement[str]):  # noqa: N801 - as above
    """A text that is compared and sorted by its characters' codes, whatever the language of the database."""

    type = Text()
    inherit_cache = True


class flag_number(FunctionElement[int]):  # noqa: N801 - as above
    """A flag as 0 or 1."""

    type = BigInteger()
    inherit_cache = True


class vector_bytes(FunctionElement[bytes]):  # noqa: N801 - as above
    """A vector as bytes, in the database's own order."""

    type = LargeBinary()
    inherit_cache = True


class vector_size(FunctionElement[int]):  # noqa: N801 - as above
    """How many bytes the numbers of a vector take."""

    type = Integer()
    inherit_cache = True


def _arguments(element: FunctionElement[Any], compiler: SQLCompiler, **options: Any) -> list[str]:
    return [compiler.process(clause, **options) for clause in element.clauses]


def _form(element: type[FunctionElement[Any]], dialect: str, form: str) -> None:
    """Say how a dialect writes an element, its arguments in the places of `{0}` and `{1}`."""

    def written(found: FunctionElement[Any], compiler: SQLCompiler, **options: Any) -> str:
        return form.format(*_arguments(found, compiler, **options))

    compiles(element, dialect)(written)


for _element, _sqlite, _postgres in (
    (has_part, "instr({0}, {1}) > 0", "strpos({0}, {1}) > 0"),
    (number_of, "{0}", "CASE WHEN {1} IN ('integer', 'real') THEN CAST({0} AS double precision) END"),
    (members_of, "json_each({0})", "memu_members({0})"),
    (by_code, "{0}", '({0} COLLATE "C")'),
    (flag_number, "{0}", "CAST({0} AS integer)"),
    (vector_bytes, "{0}", "vector_send({0})"),
    (vector_size, "length({0})", "4 * vector_dims({0})"),
):
    _form(_element, SQLITE, _sqlite)
    _form(_element, POSTGRES, _postgres)
