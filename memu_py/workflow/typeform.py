"""Types as values: are two the same, may one read the other, does a value fit.

`Optional[X]` and `X | None`, `List[X]` and `list[X]`, `Annotated[X, ...]` and `X` are the same here.
"""

import types
from collections.abc import Callable
from typing import Annotated, Any, Literal, Union, get_args, get_origin

NONE = type(None)


def same(one: Any, other: Any) -> bool:
    """Tell whether two types are the same, however they are written.

    >>> from typing import Optional
    >>> same(Optional[list[str]], list[str] | None)
    True
    """
    return bool(_normal(one) == _normal(other))


def reads(reader: Any, declared: Any) -> bool:
    """Tell whether a parameter may read a key: its type is equal, or Optional of it, or Any.

    >>> reads(str | None, str), reads(str, str | None)
    (True, False)
    """
    return reader is Any or declared is Any or same(reader, declared) or same(reader, optional(declared))


def optional(form: Any) -> Any:
    """Return `form | None`."""
    return Union[form, None]  # noqa: UP007 - `|` fails for forms that are strings or special


def is_optional(form: Any) -> bool:
    """Tell whether None fits."""
    return form is Any or form is None or form is NONE or NONE in members(form)


def members(form: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the form alone.

    >>> members(int | None)
    (<class 'int'>, <class 'NoneType'>)
    """
    form = _bare(form)
    return get_args(form) if _is_union(form) else (form,)


def show(form: Any) -> str:
    """Return a type as a person writes it.

    >>> show(dict[str, list[int]]), show(int | None), show(None)
    ('dict[str, list[int]]', 'int | None', 'None')
    """
    if form is None or form is NONE:
        return "None"
    form = _bare(form)
    origin, args = get_origin(form), get_args(form)
    if _is_union(form):
        return " | ".join(show(arg) for arg in args)
    if origin is Literal:
        return f"Literal[{', '.join(repr(arg) for arg in args)}]"
    if origin is not None and args:
        return f"{show(origin)}[{', '.join(_show_argument(arg) for arg in args)}]"
    return getattr(form, "__name__", None) or str(form).replace("typing.", "")


def fits(value: Any, form: Any) -> bool:
    """Tell whether a value is of a type, looking only at its outside: the elements of a list are not checked.

    What cannot be checked, such as a Protocol, fits.

    >>> fits([1], list[str]), fits(None, str | None), fits("c", Literal["a", "b"])
    (True, True, False)
    """
    return any(_fits_one(value, member) for member in members(form))


def fitting(form: Any) -> Callable[[Any], bool]:
    """Return `fits` for one type, with all worked out that the type alone decides.

    >>> fitting(str | None)(None)
    True
    """
    classes = [_class_of(member) for member in members(form)]
    known = tuple(one for one in classes if one is not None)
    if len(known) == len(classes):
        return lambda value: isinstance(value, known)
    return lambda value: fits(value, form)


def _class_of(form: Any) -> type | None:
    """Return the class whose instances fit a type; None where it takes more than that to tell."""
    origin = NONE if form is None else get_origin(form) or form
    closer = form is Any or origin is float or getattr(origin, "_is_protocol", False)
    return origin if isinstance(origin, type) and not closer else None


def _fits_one(value: Any, form: Any) -> bool:
    if form is Any:
        return True
    if form is None or form is NONE:
        return value is None
    origin = get_origin(form) or form
    if origin is Literal:
        return any(value == arg and type(value) is type(arg) for arg in get_args(form))
    if origin is float and type(value) is int:
        return True
    try:
        return isinstance(value, origin)
    except TypeError:
        return True


def _show_argument(arg: Any) -> str:
    return f"[{', '.join(show(one) for one in arg)}]" if isinstance(arg, list) else show(arg)


def _is_union(form: Any) -> bool:
    return get_origin(form) in (Union, types.UnionType)


def _bare(form: Any) -> Any:
    while get_origin(form) is Annotated:
        form = get_args(form)[0]
    return form


def _normal(form: Any) -> Any:
    form = _bare(form)
    if form is None:
        return NONE
    if isinstance(form, list):
        return ("list", tuple(_normal(arg) for arg in form))
    if _is_union(form):
        return ("union", frozenset(_normal(arg) for arg in get_args(form)))
    origin, args = get_origin(form), get_args(form)
    if origin is Literal:
        return ("literal", frozenset((type(arg), arg) for arg in args))
    if origin is not None:
        return (origin, tuple(_normal(arg) for arg in args))
    return form
