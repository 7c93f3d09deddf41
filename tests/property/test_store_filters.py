"""A filter in SQL says the same as a filter in Python; what is stored is read again."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import postgres_kit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memu_py.records.filter import Combination, Condition, Filter, parse_filter
from memu_py.records.item import Item
from memu_py.records.page import Query
from memu_py.storage.factory import build_store
from memu_py.storage.fields import ITEM_FIELDS
from memu_py.storage.plain import clean_text, plain
from memu_py.storage.settings import StoreSettings
from memu_py.testing.store_samples import ANN, NOW, keep, stored

IN_MEMORY = StoreSettings(backend="memory")
TEXTS = ("", "a", "A%", "%", "_b", "a'\"b", "Straße", "咖啡", "x.y")
NUMBERS = (0, 1, 2.5, -3)
TIMES = tuple(NOW + timedelta(days=days) for days in (-1, 0, 1))
KEYS = ("k", "a.b", 'q"', "%")

scalars = st.sampled_from(TEXTS) | st.sampled_from(NUMBERS) | st.booleans()
metadata = st.dictionaries(
    st.sampled_from(KEYS), st.none() | scalars | st.lists(scalars, max_size=2), max_size=3
)
an_item = st.fixed_dictionaries(
    {
        "text": st.sampled_from(TEXTS),
        "speaker": st.none() | st.sampled_from(TEXTS),
        "importance": st.none() | st.sampled_from(NUMBERS),
        "said_at": st.none() | st.sampled_from(TIMES),
        "entities": st.lists(st.sampled_from(TEXTS), max_size=2).map(tuple),
        "metadata": metadata,
    }
)


def _operators(values: st.SearchStrategy[Any], *, ordered: bool = True) -> st.SearchStrategy[Any]:
    names = ["eq", "ne", "gt", "gte", "lt", "lte"] if ordered else ["eq", "ne"]
    compared = st.builds(lambda op, value: {op: value}, st.sampled_from(names), values)
    several = st.builds(
        lambda op, found: {op: found},
        st.sampled_from(["in", "nin"]),
        st.lists(values | st.none(), max_size=2),
    )
    return (
        compared | several | st.builds(lambda there: {"exists": there}, st.booleans()) | st.just({"eq": None})
    )


def _contains(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(lambda part: {"contains": part}, values)


texts = st.sampled_from(TEXTS)
not_flags = texts | st.sampled_from(NUMBERS)
conditions = (
    st.tuples(st.just("text"), _operators(texts) | _contains(texts))
    | st.tuples(st.just("speaker"), _operators(texts) | _contains(texts))
    | st.tuples(st.just("importance"), _operators(st.sampled_from(NUMBERS)))
    | st.tuples(st.just("said_at"), _operators(st.sampled_from(TIMES)))
    | st.tuples(st.just("entities"), _operators(texts, ordered=False) | _contains(texts))
    | st.tuples(
        st.sampled_from(KEYS).map(lambda key: f"metadata.{key}"),
        _operators(not_flags) | _operators(scalars, ordered=False) | _contains(scalars),
    )
)
filters = st.recursive(
    st.lists(conditions, max_size=2).map(dict),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=2).map(lambda found: {"or": found})
        | st.lists(inner, min_size=1, max_size=2).map(lambda found: {"and": found})
        | inner.map(lambda one: {"not": one})
    ),
    max_leaves=4,
)


def _matches(node: Filter, item: Item) -> bool:
    if isinstance(node, Condition):
        return _holds(node, item)
    parts = [_matches(part, item) for part in node.parts]
    assert isinstance(node, Combination)
    return {"and": all(parts), "or": any(parts), "not": not all(parts)}[node.how]


def _holds(node: Condition, item: Item) -> bool:
    if node.op in ("ne", "nin"):
        return not _holds(node.evolve(op="eq" if node.op == "ne" else "in"), item)
    value = item.metadata.get(node.key) if node.key else getattr(item, node.field)
    value = None if value == () else value
    if node.op == "exists":
        return (value is not None) is bool(node.value)
    if node.op in ("eq", "in"):
        wanted = node.value if node.op == "in" else (node.value,)
        return any(_equal(value, one) for one in wanted)
    if node.op == "contains":
        return _has(value, node.value)
    return _ordered(node.op, value, node.value)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "flag"
    return "number" if isinstance(value, int | float) else type(value).__name__


def _equal(value: Any, wanted: Any) -> bool:
    if isinstance(value, tuple):
        return any(_fold(one) == _fold(wanted) for one in value)
    return _kind(value) == _kind(wanted) and bool(value == wanted)


def _fold(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else (_kind(value), value)


def _has(value: Any, part: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(_fold(one) == _fold(part) for one in value)
    return isinstance(value, str) and isinstance(part, str) and part.casefold() in value.casefold()


def _ordered(op: str, value: Any, wanted: Any) -> bool:
    if _kind(value) != _kind(wanted):
        return False
    if isinstance(value, str):
        value, wanted = value.encode(), wanted.encode()
    return bool(
        {"gt": value > wanted, "gte": value >= wanted, "lt": value < wanted, "lte": value <= wanted}[op]
    )


async def _compare(
    fields: list[dict[str, Any]], wheres: list[Mapping[str, Any]], kept: StoreSettings = IN_MEMORY
) -> None:
    store = build_store(kept)
    await store.open()
    given_items = [
        stored(ANN, one.pop("text"), type=f"t{number}", **one) for number, one in enumerate(fields)
    ]
    added = (await keep(store, ANN, *given_items)).added
    for where in wheres:
        tree = parse_filter(where, fields=tuple(ITEM_FIELDS))
        expected = sorted(item.id for item in added if _matches(tree, item))
        assert [one.id for one in await store.items.page(ANN, Query(where=where))] == expected, where
    await store.close()


@settings(max_examples=60, deadline=None)
@given(fields=st.lists(an_item, min_size=1, max_size=6), wheres=st.lists(filters, min_size=1, max_size=6))
def test_sql_and_python_agree_on_every_filter(
    fields: list[dict[str, Any]], wheres: list[Mapping[str, Any]]
) -> None:
    asyncio.run(_compare(fields, wheres))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(fields=st.lists(an_item, min_size=1, max_size=6), wheres=st.lists(filters, min_size=1, max_size=6))
def test_postgres_and_python_agree_on_every_filter(
    dsn: str, fields: list[dict[str, Any]], wheres: list[Mapping[str, Any]]
) -> None:
    postgres_kit.empty(dsn)
    asyncio.run(_compare(fields, wheres, StoreSettings(backend="postgres", dsn=dsn)))


any_text = st.text(st.characters(exclude_categories=[]), max_size=20)
any_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)
any_time = st.datetimes(timezones=st.just(UTC))


@settings(max_examples=60, deadline=None)
@given(text=any_text, data=st.dictionaries(any_text, any_json, max_size=3), said_at=any_time)
def test_what_is_stored_is_read_again(text: str, data: dict[str, Any], said_at: datetime) -> None:
    asyncio.run(_kept(text, data, said_at))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=any_text, data=st.dictionaries(any_text, any_json, max_size=3), said_at=any_time)
def test_what_postgres_stores_is_read_again(
    dsn: str, text: str, data: dict[str, Any], said_at: datetime
) -> None:
    postgres_kit.empty(dsn)
    asyncio.run(_kept(text, data, said_at, StoreSettings(backend="postgres", dsn=dsn)))


async def _kept(text: str, data: dict[str, Any], said_at: datetime, kept: StoreSettings = IN_MEMORY) -> None:
    store = build_store(kept)
    await store.open()
    (added,) = (await keep(store, ANN, stored(ANN, text, metadata=data, said_at=said_at))).added
    (found,) = (await store.items.get(ANN, [added.id])).values()
    assert found == added
    assert (found.text, found.said_at) == (clean_text(text), said_at)
    assert found.metadata == plain(data, where="metadata")
    await store.close()
