"""Time zones by name."""

from datetime import UTC, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from memu_py.errors import InvalidInput
from memu_py.nearest import nearest


def zone(name: str) -> tzinfo:
    """Return the time zone of this name.

    Args:
        name: an IANA name such as `Europe/Berlin`, without regard to case, or `UTC`.

    Raises:
        InvalidInput: there is no such zone; names the nearest one.

    >>> str(zone("asia/shanghai"))
    'Asia/Shanghai'
    """
    key = name.strip().casefold()
    if key in ("utc", "z"):
        return UTC
    found = _names().get(key)
    if found is None:
        raise InvalidInput(f"no time zone `{name}`", hint=_advice(key))
    return ZoneInfo(found)


@cache
def _names() -> dict[str, str]:
    return {name.casefold(): name for name in available_timezones()}


def _advice(key: str) -> str:
    guess = nearest(key, _names()) or next((name for name in sorted(_names()) if _city(name) == key), None)
    meant = f"did you mean `{_names()[guess]}`? " if guess else ""
    return f"{meant}use an IANA name such as `Asia/Shanghai`, `Europe/Berlin` or `UTC`"


def _city(name: str) -> str:
    return name.rpartition("/")[2].replace("_", " ")
