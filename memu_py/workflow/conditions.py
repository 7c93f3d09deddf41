"""`when`: the values that keys must have for a step to run.

`when: {modality: [audio, video]}` holds when the key `modality` has one of these values; several keys must
all hold. `key.field` looks into the value: a field of a record, or a key of a mapping. A key that nothing has
given counts as null.
"""

import enum
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_origin, get_type_hints

from memu_py.nearest import unknown
from memu_py.workflow.typeform import NONE, fits, members, show

SCALARS = (str, int, float, bool)


def holds(when: Mapping[str, Any] | None, state: Mapping[str, Any]) -> bool:
    """Tell whether a step is to run.

    >>> holds({"modality": ["audio", "video"]}, {"modality": "video"})
    True
    >>> holds({"request.language": "en"}, {"request": {"language": "zh"}})
    False
    """
    return all(_matches(_look_up(state, key), wanted) for key, wanted in (when or {}).items())


def describe(when: Mapping[str, Any]) -> str:
    """Return a condition in words.

    >>> describe({"modality": ["audio", "video"], "deep": True})
    'modality is audio or video, and deep is true'
    """
    return ", and ".join(f"{key} is {' or '.join(map(_word, _values(value)))}" for key, value in when.items())


def faults(when: Mapping[str, Any], known: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what is wrong with a condition, as pairs of key and message.

    Args:
        when: the condition.
        known: the keys that exist where it is looked at, with their types.
    """
    return [(key, message) for key, value in when.items() if (message := _fault(key, value, known))]


def _fault(key: str, value: Any, known: Mapping[str, Any]) -> str | None:
    name, *fields = key.split(".")
    if name not in known:
        return f"`when`: {unknown('key', name, known)}"
    forms = members(known[name])
    for field in fields:
        forms, owners = _field_forms(forms, field), forms
        if not forms:
            names = sorted({one for owner in owners for one in _hints(owner)})
            return f"`when`: `{name}` ({show(known[name])}): {unknown('field', field, names)}"
    for one in _values(value):
        if one is not None and not isinstance(one, SCALARS):
            return f"`when.{key}` must be a plain value or a list of such"
        if not _possible(one, forms):
            return f"`when.{key}`: {_word(one)} can never be its value, which is {_show_forms(forms)}"
    return None


def _look_up(state: Mapping[str, Any], key: str) -> Any:
    name, *fields = key.split(".")
    value = state.get(name)
    for field in fields:
        value = value.get(field) if isinstance(value, Mapping) else getattr(value, field, None)
    return value


def _matches(value: Any, wanted: Any) -> bool:
    plain = value.value if isinstance(value, enum.Enum) else value
    return any(one == plain and isinstance(one, bool) == isinstance(plain, bool) for one in _values(wanted))


def _values(wanted: Any) -> Sequence[Any]:
    return wanted if isinstance(wanted, list | tuple) else (wanted,)


def _field_forms(forms: Sequence[Any], field: str) -> tuple[Any, ...]:
    found: list[Any] = []
    for form in forms:
        if form is NONE:
            continue
        if _open(form):
            found.append(Any)
        elif field in (hints := _hints(form)):
            found += members(hints[field])
    return tuple(found)


def _open(form: Any) -> bool:
    """Tell whether any field may be in a value of this type."""
    origin = get_origin(form) or form
    return origin is Any or not isinstance(origin, type) or issubclass(origin, Mapping)


def _hints(form: Any) -> dict[str, Any]:
    origin = get_origin(form) or form
    try:
        hints = get_type_hints(origin)
    except (NameError, TypeError):
        hints = dict.fromkeys(getattr(origin, "__annotations__", ()), Any)
    properties = {name: Any for name, value in vars(origin).items() if isinstance(value, property)}
    return {name: form for name, form in (properties | hints).items() if not name.startswith("_")}


def _possible(value: Any, forms: Sequence[Any]) -> bool:
    return value is None or any(_fits_plain(value, form) for form in forms if form is not NONE)


def _fits_plain(value: Any, form: Any) -> bool:
    if isinstance(form, type) and issubclass(form, enum.Enum):
        return any(value == one.value for one in form)
    if form in SCALARS:
        return fits(value, form) and isinstance(value, bool) == (form is bool)
    return get_origin(form) is not Literal or fits(value, form)


def _show_forms(forms: Sequence[Any]) -> str:
    return " | ".join(show(form) for form in forms)


def _word(value: Any) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
