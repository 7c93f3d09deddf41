"""From plain data to entries. What cannot be read is a fault, and the rest is read all the same."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from memu_py.workflow.entry import Entry, Origin
from memu_py.workflow.place import Fault, Path, Place
from memu_py.workflow.spec import StepSpec, explain

PARALLEL = "parallel"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Stage:
    """Entries that run in parallel, or one alone.

    Attributes:
        entries: in the order written.
        grouped: whether it was written as `parallel`.
    """

    entries: tuple[Entry, ...]
    grouped: bool


@dataclasses.dataclass(slots=True)
class Reading:
    """What was read of a list of steps.

    Attributes:
        stages: in order.
        faults: what was wrong.
        complete: false when a step was left out because it could not be read at all.
    """

    stages: list[Stage] = dataclasses.field(default_factory=list)
    faults: list[Fault] = dataclasses.field(default_factory=list)
    complete: bool = True

    def refuse(self, where: str, message: str, step: str | None = None) -> None:
        """Note that something is left out."""
        self.faults.append(Fault(where=where, message=message, step=step))
        self.complete = False


def read_stages(place: Place, origin: Origin) -> Reading:
    """Read a list of steps: names, mappings with `use`, mappings with `parallel`.

    Args:
        place: of the list.
        origin: who wrote it.
    """
    reading = Reading()
    if not isinstance(place.raw, list | tuple):
        reading.refuse(place.locate(()), f"`steps` must be a list of steps, not {_kind(place.raw)}")
        return reading
    for number, raw in enumerate(place.raw):
        one = place.within(number)
        if isinstance(raw, Mapping) and PARALLEL in raw:
            _read_group(one, origin, reading)
        elif entry := _read_entry(one, origin, reading):
            reading.stages.append(Stage(entries=(entry,), grouped=False))
    return reading


def _read_group(place: Place, origin: Origin, reading: Reading) -> None:
    for key in place.raw:
        if key != PARALLEL:
            message = f"no key `{key}` beside `parallel`; put it on the steps within"
            reading.faults.append(Fault(where=place.locate((key,)), message=message))
    members = place.raw[PARALLEL]
    if not isinstance(members, list | tuple) or not members:
        reading.refuse(place.locate((PARALLEL,)), f"`parallel` must be a list of steps, not {_kind(members)}")
        return
    read = [_read_entry(place.within(PARALLEL, number), origin, reading) for number in range(len(members))]
    entries = tuple(entry for entry in read if entry is not None)
    if entries:
        reading.stages.append(Stage(entries=entries, grouped=True))


def _read_entry(place: Place, origin: Origin, reading: Reading) -> Entry | None:
    raw = {"use": place.raw} if isinstance(place.raw, str) else place.raw
    if not isinstance(raw, Mapping) or not raw:
        reading.refuse(place.locate(()), f"a step is a name or a mapping with `use`, not {_kind(place.raw)}")
        return None
    if PARALLEL in raw:
        reading.refuse(place.locate((PARALLEL,)), "`parallel` cannot stand within `parallel`")
        return None
    data = dict(raw)
    spec = _read_spec(data, place, reading)
    if spec is None:
        return None
    return Entry(spec=spec, origin=origin, places=(Place(raw=data, locate=place.locate),))


def _read_spec(data: dict[str, Any], place: Place, reading: Reading) -> StepSpec | None:
    try:
        return StepSpec.model_validate(data)
    except ValidationError as error:
        wrong = explain(error, StepSpec)
    step = next((data[key] for key in ("name", "use") if isinstance(data.get(key), str)), None)
    for path, message in wrong:
        where = place.locate(_written(path, data))
        reading.faults.append(Fault(where=where, step=step or None, message=message))
    good = {key: value for key, value in data.items() if key not in {path[0] for path, _ in wrong}}
    try:
        return StepSpec.model_validate(good)
    except ValidationError:
        reading.complete = False
        return None


def _written(path: Path, data: Mapping[str, Any]) -> Path:
    """Return as much of a path as stands in the data; pydantic adds words of its own for unions and keys."""
    place = Place(raw=data, locate=lambda _: "")
    length = next(length for length in range(len(path), -1, -1) if place.has(path[:length]))
    return path[:length]


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, list | tuple | Mapping) and not value:
        return "an empty one"
    return f"{value!r}" if isinstance(value, str | int | float) else f"a {type(value).__name__}"
