"""Which packaged step an entry of the user's stands for, or takes the place of."""

import dataclasses
from collections.abc import Iterable, Sequence

from memu_py.nearest import unknown
from memu_py.workflow.entry import Entry, Plan
from memu_py.workflow.place import Fault


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Claim:
    """What an entry has to do with the packaged workflow.

    Attributes:
        base: the packaged step; None for a step of the user's own.
        replaces: whether another step takes its place, instead of the step itself being configured.
        faults: what is wrong with it.
    """

    base: Entry | None = None
    replaces: bool = False
    faults: tuple[Fault, ...] = ()


def claim(entry: Entry, packaged: Sequence[Entry]) -> Claim:
    """Find the packaged step that an entry means.

    `replaces: x` takes the place of `x`. A `name` that a packaged step has means that step, and takes its
    place when `use` is another. A `use` alone means the packaged step of this name, or else the only one that
    uses it.

    Args:
        entry: of the user's.
        packaged: all steps of the packaged workflow.
    """
    by_name = {one.label: one for one in packaged}
    if entry.spec.replaces is not None:
        return _replacement(entry, by_name.get(entry.spec.replaces), by_name)
    if entry.spec.name is not None:
        base = by_name.get(entry.spec.name)
        same = base is not None and entry.spec.use in (base.spec.use, base.label)
        return _checked(entry, base, replaces=base is not None and not same)
    users = [one for one in packaged if one.spec.use == entry.spec.use]
    base = by_name.get(entry.spec.use) or (users[0] if len(users) == 1 else None)
    if base is None and users:
        names = ", ".join(f"`{one.label}`" for one in users)
        return Claim(
            faults=(entry.fault(f"the packaged workflow uses it as {names}; give the `name`", "use"),)
        )
    return _checked(entry, base, replaces=False)


def missing(entries: Iterable[Entry], packaged: Plan, where: str) -> list[Fault]:
    """Return a fault for each required packaged step whose place nobody has.

    Args:
        entries: of a workflow that is to stand in for the packaged one.
        packaged: the packaged one.
        where: the place of the faults.
    """
    there = {entry.slot for entry in entries}
    return [
        Fault(
            where=where,
            step=one.label,
            message="it is required and missing; name it, or put another in its place by "
            f"`replaces: {one.label}`",
        )
        for one in packaged.entries
        if one.spec.required and one.slot is not None and one.slot not in there
    ]


def _replacement(entry: Entry, base: Entry | None, by_name: dict[str, Entry]) -> Claim:
    if base is None:
        message = f"`replaces`: {unknown('packaged step', str(entry.spec.replaces), by_name)}"
        return Claim(faults=(entry.fault(message, "replaces"),))
    return _checked(entry, base, replaces=True)


def _checked(entry: Entry, base: Entry | None, *, replaces: bool) -> Claim:
    given_up = "required" in entry.spec.model_fields_set and not entry.spec.required
    if base is None or not base.spec.required or not given_up:
        return Claim(base=base, replaces=replaces)
    fault = entry.fault("it is required; it can be configured or replaced, not lost", "required")
    return Claim(base=base, replaces=replaces, faults=(fault,))
