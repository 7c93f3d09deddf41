"""The parser: each event of a calendar becomes one segment, with its date in the user's time zone."""

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from memu_py.errors import InvalidInput
from memu_py.modality.blocks import Block, joined
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.text import readable
from memu_py.modality.title import title

_EVENT = re.compile(r"^BEGIN:VEVENT$(.*?)^(?:BEGIN:VALARM|END:VEVENT)$", re.M | re.S)
_FIELD = re.compile(r"^(SUMMARY|DTSTART|LOCATION|DESCRIPTION|UID)([^:\n]*):(.*)$", re.M)
_ZONE = re.compile(r';TZID="?([^;"]+)')
NO_DATE = "no date could be read for: "


class CalendarParser:
    """Reads iCalendar (RFC 5545): the first date of each event; rules by which one repeats are left to calendars."""

    def accepts(self, raw: Raw, text: str | None) -> bool:
        """Tell whether the content is a calendar."""
        return text is not None and text.lstrip().startswith("BEGIN:VCALENDAR")

    def parse(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS) -> Parsed:
        """Read a calendar; raises InvalidInput for one without events."""
        lines = re.sub(r"\r?\n[ \t]|\r", "", readable(raw).text)
        blocks = [_block(event, options.zone) for event in _EVENT.findall(lines)]
        text, segments = joined(blocks, max_chars=options.turn_chars)
        if not segments:
            msg = "this calendar holds no event"
            raise InvalidInput(msg)
        undated = [one.text for one in segments if not one.metadata["starts"]]
        return Parsed(
            text=text,
            segments=segments,
            modality="calendar",
            media_type="text/calendar",
            title=title(name=raw.name, text=text),
            warnings=tuple(NO_DATE + one for one in undated),
        )


def _block(event: str, zone: tzinfo) -> Block:
    found = {name: (parameters, value) for name, parameters, value in _FIELD.findall(event)}
    plain = {name: _plain(value) for name, (_, value) in found.items()}
    starts = _when(*found.get("DTSTART", ("", "")), zone)
    head = [": ".join(filter(None, [plain.get("SUMMARY"), starts])), plain.get("LOCATION")]
    text = ". ".join(filter(None, [", ".join(filter(None, head)), plain.get("DESCRIPTION")]))
    return Block(text=text, metadata={"uid": plain.get("UID", ""), "starts": starts})


def _plain(value: str) -> str:
    return " ".join(re.sub(r"\\(.)", r"\1", re.sub(r"\\[nN]", " ", value)).split())


def _when(parameters: str, value: str, zone: tzinfo) -> str:
    """Write when an event begins: a day, or a minute in the user's time zone; nothing where that cannot be read."""
    try:
        if "T" not in value:
            return f"{datetime.strptime(value, '%Y%m%d'):%Y-%m-%d}"  # noqa: DTZ007 - a day has no zone
        named = _ZONE.search(parameters)
        own = UTC if value.endswith("Z") else ZoneInfo(named[1]) if named else zone
        moment = datetime.strptime(value.rstrip("Z"), "%Y%m%dT%H%M%S").replace(tzinfo=own)
        return f"{moment.astimezone(zone):%Y-%m-%d %H:%M}"
    except (KeyError, ValueError, OSError, OverflowError):
        return ""
