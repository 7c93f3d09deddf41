"""Categories by hand."""

from collections.abc import Mapping
from typing import Any, Unpack

from memu_py.errors import Conflict, NotFound
from memu_py.records.category import Category
from memu_py.records.ids import new_id
from memu_py.records.page import Page, Query, Where
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments
from memu_py.service.base import ServiceBase
from memu_py.service.fields import CategoryFields, checked, safe_fields
from memu_py.service.retry import edited
from memu_py.service.scopes import ScopeKeys


@checks_arguments
class CategoriesMixin(ServiceBase):
    """Create, read, update and delete categories. A category belongs to a whole partition, not to a session."""

    async def create_category(
        self,
        name: str,
        *,
        description: str = "",
        metadata: Mapping[str, Any] | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Category:
        """Make a category.

        Args:
            name: unique in the partition, whatever its case.
            description: what belongs in it; new items are matched against it.
            metadata: the caller's own.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            InvalidInput: the name is empty, or the metadata is no plain data.
            Conflict: the name is taken.
        """
        scope = self._scopes.make(**keys).owner
        given = {"name": name, "description": description, "metadata": metadata}
        fields = safe_fields(checked(CategoryFields, given), self._runtime.masker)
        await self._runtime.open()
        now = self._runtime.clock()
        wanted = Category(
            id=new_id(),
            scope=scope,
            origin="manual",
            created_at=now,
            updated_at=now,
            **fields,
        )
        (stored,) = await self._runtime.store.add_categories(scope, [wanted])
        if stored.id != wanted.id:
            msg = f"there is a category {stored.name!r} already"
            raise Conflict(msg)
        return stored

    async def get_category(self, category_id: str, **keys: Unpack[ScopeKeys]) -> Category:
        """Return a category.

        Raises:
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        return await self._category(scope, category_id)

    async def _category(self, scope: Scope, category_id: str) -> Category:
        found = await self._runtime.store.categories.get(scope, [category_id])
        if category_id not in found:
            msg = f"no category {category_id!r} in this scope"
            raise NotFound(msg)
        return found[category_id]

    async def list_categories(
        self,
        *,
        where: Where | None = None,
        order: str = "id",
        descending: bool = False,
        limit: int = 100,
        cursor: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Page[Category]:
        """Return one page of categories; the arguments are those of `list_items`."""
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        query = Query(where=where, order=order, descending=descending, limit=limit, cursor=cursor)
        return await self._runtime.store.categories.page(scope, query)

    async def update_category(
        self, category_id: str, changes: Mapping[str, Any], **keys: Unpack[ScopeKeys]
    ) -> Category:
        """Change named fields of a category; what is not named stays.

        Args:
            category_id: the category.
            changes: new values by field: name, description, summary, metadata.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            NotFound: it is not in the scope.
            InvalidInput: a field cannot be changed, or a value is not usable.
            Conflict: the new name is taken.
        """
        scope = self._scopes.make(**keys)
        wanted = safe_fields(checked(CategoryFields, changes), self._runtime.masker)
        await self._runtime.open()
        return await edited(
            lambda: self._category(scope, category_id),
            lambda category: self._runtime.store.update_category(scope, category.evolve(**wanted)),
        )

    async def delete_category(self, category_id: str, **keys: Unpack[ScopeKeys]) -> None:
        """Delete a category; its items stay.

        Raises:
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        if not await self._runtime.store.delete_categories(scope, [category_id]):
            msg = f"no category {category_id!r} in this scope"
            raise NotFound(msg)
