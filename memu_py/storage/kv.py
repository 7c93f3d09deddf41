"""The store's contract for values by name."""

from datetime import datetime
from typing import Any, Protocol

from memu_py.records.key_value import KeyValue
from memu_py.records.page import Page
from memu_py.records.scope import Scope


class KeyValues(Protocol):
    """Values by namespace and key; each scope has its own, and one that names less does not see them.

    What has expired is not there, for reading and for versions alike.
    """

    async def get(self, scope: Scope, namespace: str, key: str) -> KeyValue | None:
        """Return a value; None when it is not there."""
        ...

    async def set(
        self,
        scope: Scope,
        namespace: str,
        key: str,
        value: Any,
        *,
        if_version: int | None = None,
        expires_at: datetime | None = None,
    ) -> KeyValue:
        """Set a value, and drop those of the partition that have expired, in one transaction.

        Args:
            scope: whose, exactly.
            namespace: the group.
            key: the name.
            value: plain data.
            if_version: set it only over this version; 0 where there must be none.
            expires_at: when it will be gone.

        Raises:
            Conflict: there is another version.
        """
        ...

    async def delete(self, scope: Scope, namespace: str, key: str, *, if_version: int | None = None) -> bool:
        """Delete a value; false when it is not there.

        Raises:
            Conflict: there is another version.
        """
        ...

    async def page(
        self, scope: Scope, namespace: str, *, prefix: str = "", limit: int = 100, cursor: str | None = None
    ) -> Page[KeyValue]:
        """Return one page of values, in order of their keys.

        Raises:
            InvalidFilter: the cursor belongs to another list.
        """
        ...
