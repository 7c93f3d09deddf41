"""Values by name, beside memories: settings, counters, what an application must find again as it was."""

import json
from datetime import timedelta
from typing import Any, Unpack

from memu_py.errors import InvalidInput, TooLarge
from memu_py.records.key_value import KeyValue
from memu_py.records.page import Page
from memu_py.service.arguments import checks_arguments
from memu_py.service.metadata import check_metadata
from memu_py.service.runtime import Runtime
from memu_py.service.scopes import ScopeKeys, ScopeMaker

MAX_NAMESPACE = 128
"""Bytes of a namespace, in UTF-8."""
MAX_KEY = 1024
"""Bytes of a key, in UTF-8."""
MAX_TTL_S = 3_155_760_000.0
"""A hundred years."""
KB = 1024


@checks_arguments
class KeyValues:
    """Values of a scope by namespace and key. A scope that names an agent or a session has values of its own."""

    def __init__(self, runtime: Runtime, scopes: ScopeMaker) -> None:
        self._runtime = runtime
        self._scopes = scopes

    async def get(self, namespace: str, key: str, **keys: Unpack[ScopeKeys]) -> KeyValue | None:
        """Return a value with its version; None when it is not there, or has expired.

        Args:
            namespace: the group that it belongs to.
            key: its name in the group.
            **keys: whose, exactly: `user`, `agent`, `session`, `custom`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: the namespace or the key is empty or too long.
        """
        scope = self._scopes.make(**keys)
        _check_names(namespace, key)
        await self._runtime.open()
        return await self._runtime.store.kv.get(scope, namespace, key)

    async def set(
        self,
        namespace: str,
        key: str,
        value: Any,
        *,
        if_version: int | None = None,
        ttl_s: float | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> KeyValue:
        """Set a value.

        Args:
            namespace: the group that it belongs to.
            key: its name in the group.
            value: anything that JSON can say, at most `kv.value_kb` of it.
            if_version: set it only over this version; 0 where there must be none.
            ttl_s: it is gone after so many seconds; None keeps it.
            **keys: whose, exactly: `user`, `agent`, `session`, `custom`.

        Returns:
            The value as stored, with its new version.

        Raises:
            Conflict: it has another version.
            TooLarge: the value is too large.
            InvalidInput: a name or number is not usable, or JSON has no such value.
        """
        scope = self._scopes.make(**keys)
        _check_names(namespace, key)
        _check_version(if_version)
        kept = self._checked(value, f"{namespace}/{key}")
        if ttl_s is not None and not 0 < ttl_s <= MAX_TTL_S:
            msg = f"ttl_s is above 0 and at most {MAX_TTL_S:.0f}, not {ttl_s}"
            raise InvalidInput(msg)
        await self._runtime.open()
        until = None if ttl_s is None else self._runtime.clock() + timedelta(seconds=ttl_s)
        store = self._runtime.store.kv
        return await store.set(scope, namespace, key, kept, if_version=if_version, expires_at=until)

    def _checked(self, value: Any, where: str) -> Any:
        kept = self._runtime.masker.data(check_metadata({where: value})[where])
        size, most = len(json.dumps(kept, ensure_ascii=False).encode(errors="replace")), self._most
        if size > most:
            msg = f"{where}: the value takes {size} bytes, and {most} are allowed"
            raise TooLarge(msg, hint="raise `kv.value_kb`, or memorize a resource")
        return kept

    @property
    def _most(self) -> int:
        return self._runtime.settings.kv.value_kb * KB

    async def delete(
        self, namespace: str, key: str, *, if_version: int | None = None, **keys: Unpack[ScopeKeys]
    ) -> bool:
        """Delete a value.

        Args:
            namespace: the group that it belongs to.
            key: its name in the group.
            if_version: delete it only in this version.
            **keys: whose, exactly: `user`, `agent`, `session`, `custom`.

        Returns:
            False when it was not there.

        Raises:
            Conflict: it has another version.
        """
        scope = self._scopes.make(**keys)
        _check_names(namespace, key)
        _check_version(if_version)
        await self._runtime.open()
        return await self._runtime.store.kv.delete(scope, namespace, key, if_version=if_version)

    async def list(
        self,
        namespace: str,
        *,
        prefix: str = "",
        limit: int = 100,
        cursor: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Page[KeyValue]:
        """Return one page of the values of a namespace, in the order of their keys' characters.

        Args:
            namespace: the group.
            prefix: only keys that begin so, exactly.
            limit: values a page, 1 to 1000.
            cursor: `next_cursor` of the page before.
            **keys: whose, exactly: `user`, `agent`, `session`, `custom`.

        Raises:
            InvalidFilter: the cursor belongs to another list.
        """
        scope = self._scopes.make(**keys)
        _check_names(namespace)
        await self._runtime.open()
        store = self._runtime.store.kv
        return await store.page(scope, namespace, prefix=prefix, limit=limit, cursor=cursor)


def _check_names(namespace: Any, key: Any = "-") -> None:
    for what, name, most in (("namespace", namespace, MAX_NAMESPACE), ("key", key, MAX_KEY)):
        if not isinstance(name, str) or not name.strip():
            msg = f"a {what} is text that is not empty"
            raise InvalidInput(msg)
        size = len(name.encode(errors="replace"))
        if size > most:
            msg = f"a {what} has at most {most} bytes, and this one {size}"
            raise InvalidInput(msg)


def _check_version(version: Any) -> None:
    if version is not None and (isinstance(version, bool) or not isinstance(version, int) or version < 0):
        msg = f"if_version is a whole number from 0 on, not {version!r}"
        raise InvalidInput(msg)
