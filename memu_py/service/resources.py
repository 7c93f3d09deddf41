"""Resources by hand."""

from collections.abc import Mapping
from typing import Any, Unpack

from memu_py.errors import NotFound
from memu_py.records.page import Page, Query, Where
from memu_py.records.place import Place
from memu_py.records.resource import Resource, Segment
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments
from memu_py.service.base import ServiceBase
from memu_py.service.fields import ResourceFields, checked, safe_fields
from memu_py.service.granting import to_read, to_write
from memu_py.service.places import places_of
from memu_py.service.retry import edited, settled
from memu_py.service.scopes import ScopeKeys
from memu_py.steps.originals import read_blob


@checks_arguments
class ResourcesMixin(ServiceBase):
    """Read, update and delete resources; `memorize` creates them."""

    async def get_resource(self, resource_id: str, **keys: Unpack[ScopeKeys]) -> Resource:
        """Return a resource.

        Raises:
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        scope = await to_read(self._runtime, scope)
        return await self._resource(scope, resource_id)

    async def _resource(self, scope: Scope, resource_id: str) -> Resource:
        found = await self._runtime.store.resources.get(scope, [resource_id])
        if resource_id not in found:
            msg = f"no resource {resource_id!r} in this scope"
            raise NotFound(msg)
        return found[resource_id]

    async def read_resource(self, resource_id: str, **keys: Unpack[ScopeKeys]) -> bytes:
        """Return the original bytes of a resource.

        Raises:
            NotFound: it is not in the scope.
        """

        async def once() -> bytes:
            resource = await self.get_resource(resource_id, **keys)
            return await read_blob(resource, store=self._runtime.store, blobs=self._runtime.blobs)

        return await settled(once)

    async def locate(self, item_id: str, **keys: Unpack[ScopeKeys]) -> list[Place]:
        """Return where an item was found: the originals, the places in them, and what they say there.

        Raises:
            NotFound: the item is not in the scope.
        """
        scope = self._scopes.make(**keys)
        scope = await to_read(self._runtime, scope)
        store = self._runtime.store
        item = (await store.items.get(scope, [item_id])).get(item_id)
        if item is None:
            msg = f"no item {item_id!r} in this scope"
            raise NotFound(msg)
        return (await places_of(store, scope, [item]))[item_id]

    async def list_segments(self, resource_id: str, **keys: Unpack[ScopeKeys]) -> list[Segment]:
        """Return the segments of a resource in order, each with what became of it.

        Raises:
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        scope = await to_read(self._runtime, scope)
        await self._resource(scope, resource_id)
        return await self._runtime.store.segments(scope, resource_id)

    async def list_resources(
        self,
        *,
        where: Where | None = None,
        order: str = "id",
        descending: bool = False,
        limit: int = 100,
        cursor: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Page[Resource]:
        """Return one page of resources; the arguments are those of `list_items`."""
        scope = self._scopes.make(**keys)
        scope = await to_read(self._runtime, scope)
        query = Query(where=where, order=order, descending=descending, limit=limit, cursor=cursor)
        return await self._runtime.store.resources.page(scope, query)

    async def update_resource(
        self, resource_id: str, changes: Mapping[str, Any], **keys: Unpack[ScopeKeys]
    ) -> Resource:
        """Change named fields of a resource; what is not named stays.

        Args:
            resource_id: the resource.
            changes: new values by field: title, url, metadata.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            NotFound: it is not in the scope.
            InvalidInput: a field cannot be changed, or a value is not usable.
            Conflict: the new address is taken.
        """
        scope = self._scopes.make(**keys)
        wanted = safe_fields(checked(ResourceFields, changes), self._runtime.masker)
        scope = await to_write(self._runtime, scope)
        return await edited(
            lambda: self._resource(scope, resource_id),
            lambda resource: self._runtime.store.update_resource(scope, resource.evolve(**wanted)),
        )

    async def delete_resource(self, resource_id: str, **keys: Unpack[ScopeKeys]) -> None:
        """Delete a resource, its original, and the items that were found nowhere else.

        Raises:
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        scope = await to_write(self._runtime, scope)
        store, owner = self._runtime.store, scope.owner
        await self._resource(scope, resource_id)
        items = await store.items.get(owner, await store.items.ids(owner, {"resource_id": resource_id}))
        async with self._runtime.originals.of(scope):
            unused = await store.delete_resources(scope, [resource_id])
            await self._runtime.blobs.delete(unused)
        await self._forget(scope, list(items.values()))
