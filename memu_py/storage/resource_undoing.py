"""What people can change of resources, put back to as it was."""

from typing import Any

from sqlalchemy import Connection, select

from memu_py.records.resource import Resource
from memu_py.records.rollback import Undo
from memu_py.records.scope import Scope
from memu_py.storage.resource_rows import load_resources
from memu_py.storage.resource_writes import update_resource
from memu_py.storage.schema import resources
from memu_py.storage.scoping import within, writer_text
from memu_py.storage.undoing import Undone
from memu_py.storage.unit import Unit

BY_HAND = ("title", "url", "metadata")


def lost_resources(found: Undone) -> tuple[str, ...]:
    """Return the resources that were there then and cannot come back."""
    return tuple(then.record_id for then in found.values() if then.kind == "resource" and then.there)


def resource_undos(connection: Connection, scope: Scope, found: Undone) -> list[Undo]:
    """Return what happens to resources."""
    return [
        Undo(kind="resource", record_id=now.id, op="update", text=now.title, fields=tuple(fields))
        for now, fields in _changed(connection, scope, found)
    ]


def put_back_resources(unit: Unit, found: Undone) -> None:
    """Give resources their titles, addresses and metadata of then."""
    for now, fields in _changed(unit.connection, unit.scope, found):
        update_resource(unit, now.evolve(**fields))


def _changed(connection: Connection, scope: Scope, found: Undone) -> list[tuple[Resource, dict[str, Any]]]:
    mine = {then.record_id: then for then in found.values() if then.kind == "resource" and then.there is None}
    pairs: list[tuple[Resource, dict[str, Any]]] = []
    for resource_id, now in load_resources(connection, scope, list(mine), attributes=False).items():
        then = mine[resource_id].fields
        fields = {name: then[name] for name in BY_HAND if name in then and then[name] != getattr(now, name)}
        if "url" in fields and _is_taken(connection, now, fields["url"]):
            del fields["url"]
        if fields:
            pairs.append((now, fields))
    return pairs


def _is_taken(connection: Connection, resource: Resource, url: str | None) -> bool:
    """Tell whether another resource of its writer has an address by now; to have none may clash, too."""
    if url is None:
        return True
    same = resources.c.url == url, resources.c.writer == writer_text(resource.scope)
    mine = select(resources.c.id).where(within(resources, resource.scope, attributes=False), *same)
    return connection.scalar(mine.limit(1)) is not None
