"""Operations on grants: a person's, so they take a key of the role admin."""

from memu_py.service.grants import Grants
from memu_py.wire.operation import ANN, Operation

GRANTS = (
    Operation(id="grants.list", call=Grants.list, verb="GET", path="/v1/grants", tag="grants", role="admin"),
    Operation(
        id="grants.give",
        call=Grants.give,
        verb="POST",
        path="/v1/grants",
        tag="grants",
        role="admin",
        example={"from_agent": "cook", "to_agent": "guide", "rights": ["read"], **ANN},
    ),
    Operation(
        id="grants.revoke",
        call=Grants.revoke,
        verb="POST",
        path="/v1/grants/revoke",
        tag="grants",
        role="admin",
        example={"from_agent": "cook", "to_agent": "guide", **ANN},
    ),
)
"""Listing, giving, revoking."""
