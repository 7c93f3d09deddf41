"""What a caller may say of a record by hand: fields by name, checked one by one."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from memu_py.errors import InvalidInput
from memu_py.features.privacy import Masker
from memu_py.nearest import unknown
from memu_py.records.item import Emotion
from memu_py.records.span import TimeSpan
from memu_py.service.metadata import check_metadata

MIN_IMPORTANCE = 1
MAX_IMPORTANCE = 10


def _filled(text: str) -> str:
    if text.strip():
        return text
    msg = "there is nothing in it"
    raise ValueError(msg)


def _importance(value: float | None) -> float | None:
    if value is None or MIN_IMPORTANCE <= value <= MAX_IMPORTANCE:
        return value
    msg = f"it is from {MIN_IMPORTANCE} to {MAX_IMPORTANCE}, not {value:g}"
    raise ValueError(msg)


def _span(span: TimeSpan | None) -> TimeSpan | None:
    if span is None:
        return span
    if span.start.utcoffset() is None or span.until.utcoffset() is None:
        msg = "both ends need a time zone"
        raise ValueError(msg)
    if span.until < span.start:
        msg = "it ends before it begins"
        raise ValueError(msg)
    return span


def _emotion(emotion: Emotion | None) -> Emotion | None:
    if emotion is not None and not (-1 <= emotion.valence <= 1 and 0 <= emotion.arousal <= 1):
        msg = "valence is from -1 to 1, and arousal from 0 to 1"
        raise ValueError(msg)
    return emotion


Filled = Annotated[str, AfterValidator(_filled)]
# A factory, since pydantic would copy a default for each record.
Metadata = Annotated[dict[str, Any], BeforeValidator(check_metadata), Field(default_factory=dict)]


class Fields(BaseModel):
    """Some fields of a record; none must be named."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    called: ClassVar[str]


class ItemFields(Fields):
    """What may be said of an item; the rest is provenance or bookkeeping."""

    called = "item field"
    type: Filled = ""
    text: Filled = ""
    speaker: str | None = None
    said_at: AwareDatetime | None = None
    happened: Annotated[TimeSpan | None, AfterValidator(_span)] = None
    entities: tuple[str, ...] = ()
    importance: Annotated[float | None, AfterValidator(_importance)] = None
    emotion: Annotated[Emotion | None, AfterValidator(_emotion)] = None
    expires_at: AwareDatetime | None = None
    metadata: Metadata


class NewItemFields(ItemFields):
    """What may be said of an item that is to be made."""

    id: Filled = ""


class ItemChanges(ItemFields):
    """What may be changed of an item."""

    called = "changeable item field"
    valid_to: AwareDatetime | None = None


class CategoryFields(Fields):
    """What may be said of a category."""

    called = "changeable category field"
    name: Annotated[str, StringConstraints(strip_whitespace=True), AfterValidator(_filled)] = ""
    description: str = ""
    summary: str = ""
    metadata: Metadata


class ResourceFields(Fields):
    """What may be changed of a resource."""

    called = "changeable resource field"
    title: str = ""
    url: Filled | None = None
    metadata: Metadata


def checked(kind: type[Fields], fields: Any) -> dict[str, Any]:
    """Return the named fields with checked values; what is not named is left out.

    Args:
        kind: which fields there are.
        fields: values by name; times may be ISO 8601 text, spans and emotions mappings.

    Raises:
        InvalidInput: these are no fields, there is no such field, or values are not usable; all faults in one message.
    """
    if not isinstance(fields, Mapping):
        msg = f"fields are a mapping such as {{'metadata': {{…}}}}, not {type(fields).__name__}"
        raise InvalidInput(msg)
    known = kind.__pydantic_fields__
    for name in fields:
        if name not in known:
            raise InvalidInput(unknown(kind.called, str(name), list(known)))
    try:
        found = kind.model_validate(dict(fields))
    except ValidationError as error:
        raise InvalidInput("; ".join(_fault(kind, one) for one in error.errors())) from error
    return {name: getattr(found, name) for name in fields}


NAMES = ("id", "type", "url")
"""Fields that name a record, and say nothing."""


def safe_fields(fields: Mapping[str, Any], masker: Masker) -> dict[str, Any]:
    """Return fields as they may be stored: without what the policies take out of them.

    Raises:
        InvalidInput: nothing is left of a text that must say something.
    """
    safe = {name: value if name in NAMES else _safe(value, masker) for name, value in fields.items()}
    for name in ("text", "name"):
        if fields.get(name) and not safe[name].strip():
            msg = f"nothing is left of `{name}` without what `privacy` drops"
            raise InvalidInput(msg)
    return safe


def _safe(value: Any, masker: Masker) -> Any:
    if isinstance(value, TimeSpan):
        return value.evolve(words=masker.text(value.words))
    return masker.data(value)


def _fault(kind: type[Fields], fault: Any) -> str:
    path = ".".join(str(part) for part in fault["loc"] if not isinstance(part, int))
    reason = str(fault["ctx"]["error"]) if "error" in fault.get("ctx", {}) else fault["msg"]
    return f"{kind.called} `{path}`: {reason[:1].lower()}{reason[1:]}"
