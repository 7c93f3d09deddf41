"""A memory as a line for a model."""

from datetime import datetime, tzinfo

from memu_py.records.item import ItemDraft

DAY = "%Y-%m-%d"


def spoken(draft: ItemDraft) -> str:
    """Return what a memory says, behind who said it, on one line: a second one could pass for another record."""
    text = " ".join(draft.text.split())
    return f"{draft.speaker}: {text}" if draft.speaker else text


def day_of(moment: datetime, zone: tzinfo) -> str:
    """Return the day of a moment in a zone."""
    return moment.astimezone(zone).strftime(DAY)
