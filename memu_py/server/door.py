"""Who may come in, and how far."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from memu_py.config.server import ServerSettings
from memu_py.errors import AccessDenied, Unauthorized
from memu_py.records.api_key import ApiKey
from memu_py.server.browsers import refuse_pages
from memu_py.server.rate import RateLimiter
from memu_py.service.service import MemoryService
from memu_py.wire.operations import Operation

BEARER = "bearer "


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """Who calls.

    Attributes:
        service: bound to the scope of the key, which no call can leave.
        key: None where no keys are asked for.
    """

    service: MemoryService
    key: ApiKey | None = None

    def check(self, operation: Operation, given: Mapping[str, Any]) -> None:
        """Check that the caller may do something with these arguments.

        Raises:
            AccessDenied: the key is for less.
        """
        if self.key is None:
            return
        if operation.concerns_all(given) and not _sees_all(self.key, operation):
            msg = f"`{operation.id}` concerns the whole store"
            raise AccessDenied(msg, hint="it takes a key of the role admin for everywhere")
        wanted = operation.role_for(given)
        if not self.key.may(wanted):
            msg = f"`{operation.id}` needs the role {wanted}, and this key has {self.key.role}"
            raise AccessDenied(msg)


def _sees_all(key: ApiKey, operation: Operation) -> bool:
    """Tell whether a key opens what concerns the whole store, or its own scope narrows that by itself."""
    if key.scope is not None:
        return operation.narrowed is not None
    return key.may("admin")


class Door:
    """Lets callers in.

    Args:
        service: of everybody.
        settings: of the server.
    """

    def __init__(self, service: MemoryService, settings: ServerSettings) -> None:
        self._service = service
        self._settings = settings
        self._limiter = RateLimiter(settings.rate_per_minute)

    async def admit(self, request: Request) -> Caller:
        """Find out who calls, and count the call.

        Raises:
            Unauthorized: a key is asked for, and there is none that opens anything.
            RateLimited: the key was used too often.
            AccessDenied: no key is asked for, and it comes from a page of somebody else.
        """
        if self._settings.auth == "none":
            refuse_pages(request, host=self._settings.host, origins=self._settings.cors_origins)
            return Caller(service=self._service)
        given = request.headers.get("authorization", "")
        secret = given[len(BEARER) :].strip() if given.lower().startswith(BEARER) else ""
        key = await self._service.keys.find(secret) if secret else None
        if key is None:
            raise Unauthorized(hint="send `Authorization: Bearer memu_…`; `memu keys create` makes a key")
        self._limiter.take(key.id)
        view = self._service if key.scope is None else self._service.for_scope(key.scope)
        return Caller(service=view, key=key)
