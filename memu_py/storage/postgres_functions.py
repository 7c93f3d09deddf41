"""Functions that a database on PostgreSQL is given at its setup, so that filters mean there what they mean in SQLite.

`memu_fold(text)` folds case as Unicode says; `memu_micros(text)` reads an ISO 8601 time as microseconds since 1970;
`memu_members(text)` gives the members of a JSON object or list as SQLite's `json_each` does, and none for text that is
no JSON.
"""

from sqlalchemy import Connection

CASEFOLD_FROM = 18
"""The version whose `casefold` does all that Unicode says; below, lower case has to do."""

_FOLD = """
CREATE OR REPLACE FUNCTION memu_fold(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN {form}
"""
_MICROS = r"""
CREATE OR REPLACE FUNCTION memu_micros(given text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    part text[] := regexp_match(given,
        '^(\d{4})-?(\d\d)-?(\d\d)(?:.(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$');
BEGIN
    IF part IS NULL THEN RETURN NULL; END IF;
    RETURN floor(extract(epoch FROM (
        part[1] || '-' || part[2] || '-' || part[3] || ' ' || coalesce(part[4], '00') || ':' || coalesce(part[5], '00')
        || ':' || coalesce(part[6], '00') || '.' || left(coalesce(part[7], '0'), 6) || coalesce(part[8], 'Z')
    )::timestamptz) * 1000000)::bigint;
EXCEPTION WHEN others THEN
    RETURN NULL;
END $$
"""
_MEMBERS = """
CREATE OR REPLACE FUNCTION memu_members(given text) RETURNS TABLE (key text, value text, type text)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE ROWS 10 AS $$
DECLARE
    parsed jsonb;
BEGIN
    BEGIN
        parsed := given::jsonb;
    EXCEPTION WHEN others THEN
        RETURN;
    END;
    RETURN QUERY
    SELECT each.name, each.content #>> '{}',
        CASE jsonb_typeof(each.content)
            WHEN 'string' THEN 'text' WHEN 'number' THEN 'real' WHEN 'boolean' THEN each.content #>> '{}'
            ELSE jsonb_typeof(each.content)
        END
    FROM (
        SELECT o.key, o.value FROM jsonb_each(CASE jsonb_typeof(parsed) WHEN 'object' THEN parsed ELSE '{}' END) o
        UNION ALL
        SELECT (a.place - 1)::text, a.value
        FROM jsonb_array_elements(CASE jsonb_typeof(parsed) WHEN 'array' THEN parsed ELSE '[]' END)
            WITH ORDINALITY AS a(value, place)
    ) AS each(name, content);
END $$
"""


def create_vector_type(connection: Connection) -> None:
    """Give a database on PostgreSQL the type of vectors, which the tables need."""
    connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS vector")


def create_functions(connection: Connection) -> None:
    """Give a database on PostgreSQL the functions."""
    major = int((connection.dialect.server_version_info or (0,))[0])
    form = "casefold(given COLLATE pg_unicode_fast)" if major >= CASEFOLD_FROM else "lower(given)"
    for statement in (_FOLD.format(form=form), _MICROS, _MEMBERS):
        connection.exec_driver_sql(statement)
