"""Links put back to as they were."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from memu_py.errors import NotFound
from memu_py.records.link import IN_CATEGORY, Link
from memu_py.records.rollback import Undo
from memu_py.records.scope import Scope
from memu_py.storage.link_rows import (
    add_links,
    existing_categories,
    item_scopes,
    link_id,
    load_links,
    remove_links,
    storable_links,
)
from memu_py.storage.undoing import Then, Undone
from memu_py.storage.unit import Unit


def link_undos(connection: Connection, scope: Scope, found: Undone) -> list[Undo]:
    """Return what happens to links; those of records that go, go with them."""
    now = {link_id(link): link for link in load_links(connection, scope, list(_links(found))).values()}
    told: list[Undo] = []
    for link, then in _links(found).items():
        known = now.get(then.record_id)
        if then.there is False and known:
            told.append(_told(then, "delete"))
        elif known and then.there is not False and known.score != _score(then, known):
            told.append(_told(then, "update", ("score",)))
        elif then.there and not known and link.source_id:
            told.append(_told(then, "create"))
    return told


def _told(then: Then, op: Any, fields: tuple[str, ...] = ()) -> Undo:
    return Undo(kind="link", record_id=then.record_id, op=op, fields=fields)


def _links(found: Undone) -> dict[Link, Then]:
    """Return the links that changed, as far as their ids tell."""
    return {_link(then): then for then in found.values() if then.kind == "link"}


def _link(then: Then) -> Link:
    source, _, rest = then.record_id.partition(">")
    target, _, kind = rest.partition(":")
    return Link(source_id=source, target_id=target, kind=kind)


def _score(then: Then, now: Link) -> float:
    return float(then.fields.get("score", now.score))


def put_back_links(unit: Unit, found: Undone) -> None:
    """Remove links that were not there, and bring back those that were, where both their ends are there."""
    named = _links(found)
    now = {link_id(link): link for link in load_links(unit.connection, unit.scope, list(named)).values()}
    remove_links(
        unit,
        [now[then.record_id] for then in named.values() if then.there is False and then.record_id in now],
    )
    wanted = [
        _wanted(link, then, now.get(then.record_id))
        for link, then in named.items()
        if then.there or (then.there is None and then.record_id in now)
    ]
    add_links(unit, storable_links(_whole(unit, wanted), unit), missing=NotFound, attributes=False)


def _wanted(link: Link, then: Then, now: Link | None) -> Link:
    made = then.fields.get("created_at")
    score = float(then.fields.get("score", now.score if now else link.score))
    return link.evolve(score=score, created_at=datetime.fromisoformat(made) if made else None)


def _whole(unit: Unit, given: list[Link]) -> list[Link]:
    """Return the links whose ends are there."""
    ends = {link.source_id for link in given} | {link.target_id for link in given if link.kind != IN_CATEGORY}
    there = item_scopes(unit.connection, unit.scope, ends, attributes=False).keys()
    targets = {link.target_id for link in given if link.kind == IN_CATEGORY}
    topics = existing_categories(unit.connection, unit.scope, targets)
    return [
        link
        for link in given
        if link.source_id in there and link.target_id in (topics if link.kind == IN_CATEGORY else there)
    ]
