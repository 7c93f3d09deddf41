"""The scope that a client's view is bound to."""

from collections.abc import Mapping
from typing import Any

from memu_py.errors import OutsideScope
from memu_py.records.scope import Scope

NAMES = ("user", "agent", "session")


def narrowed(bound: Scope | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call with the scope that its view is bound to.

    The server looks at it again; this is for a message that comes at once.

    Args:
        bound: of the view; None for none.
        given: arguments of the call.

    Raises:
        OutsideScope: the call names somebody else.
    """
    if bound is None:
        return dict(given)
    named = {name: getattr(bound, name) for name in NAMES if getattr(bound, name) is not None}
    asked = {name: given[name] for name in NAMES if given.get(name) is not None}
    for name, value in asked.items():
        text = str(value["id"] if isinstance(value, Mapping) else value)
        if named.get(name, text) != text:
            msg = f"this client is bound to {name} {named[name]!r}, and the call names {text!r}"
            raise OutsideScope(msg, hint="use the unbound client")
    custom = {**(given.get("custom") or {})}
    for name, value in bound.custom:
        if custom.setdefault(name, value) != value:
            msg = f"this client is bound to {name} {value!r}, and the call names {custom[name]!r}"
            raise OutsideScope(msg, hint="use the unbound client")
    return {**given, **named, **asked, **({"custom": custom} if custom else {})}
