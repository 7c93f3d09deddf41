"""The parser: each event of a calendar becomes one segment, with its date in the user's time zone."""

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from memu_py.errors import InvalidInput
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.segments import passage
from memu_py.modality.text import readable
from memu_py.modality.title import title
from memu_py.records.resource import Segment

_FOLD = re.compile(r"\r?\n[ \t]|\r")
_ALARM = re.compile(r"^BEGIN:VALARM$.*?^END:VALARM$", re.M | re.S)
_EVENT = re.compile(r"^BEGIN:VEVENT$(.*?)^END:VEVENT$", re.M | re.S)
_FIELD = re.compile(r'^([\w-]+)((?:;[\w-]+=(?:"[^"\n]*"|[^:;"\n]*))*):(.*)$', re.M)
_ZONE = re.compile(r';TZID="?([^;"]+)')
_ESCAPED = re.compile(r"\\([nN])|\\(.)")

Fields = dict[str, tuple[str, str]]
"""Parameters and value of each property of an event, by name."""


class CalendarParser:
    """Reads iCalendar (RFC 5545): the first date of each event; rules by which one repeats are left to calendars."""

    def accepts(self, raw: Raw, text: str | None) -> bool:
        """Tell whether the content is a calendar."""
        return text is not None and text.lstrip().startswith("BEGIN:VCALENDAR")

    def parse(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS) -> Parsed:
        """Read a calendar.

        Raises:
            InvalidInput: it holds no event.
        """
        decoded = readable(raw)
        events = list(map(_fields, _EVENT.findall(_ALARM.sub("", _FOLD.sub("", decoded.text)))))
        told = [(line, one) for one in events if (line := _line(one, options.zone))]
        if not told:
            msg = "this calendar holds no event"
            raise InvalidInput(msg)
        text = "\n".join(line for line, _ in told)
        segments: list[Segment] = []
        at = 0
        for line, one in told:
            about = {"uid": _plain(one, "UID"), "starts": _when(one, options.zone)}
            segments.append(passage(text, (at, at + len(line)), len(segments), "paragraph", about))
            at += len(line) + 1
        undated = [line for line, one in told if not _when(one, options.zone)]
        return Parsed(
            text=text,
            segments=tuple(segments),
            modality="calendar",
            media_type="text/calendar",
            title=title(name=raw.name, text=text),
            warnings=(
                *filter(None, [decoded.warning]),
                *(f"no date could be read for: {one}" for one in undated),
            ),
        )


def _fields(event: str) -> Fields:
    return {name.upper(): (parameters, value) for name, parameters, value in _FIELD.findall(event)}


def _line(event: Fields, zone: tzinfo) -> str:
    what, place, more = (_plain(event, name) for name in ("SUMMARY", "LOCATION", "DESCRIPTION"))
    head = ", ".join(filter(None, [": ".join(filter(None, [what, _when(event, zone)])), place]))
    return ". ".join(filter(None, [head, more]))


def _plain(event: Fields, name: str) -> str:
    _, value = event.get(name, ("", ""))
    return " ".join(_ESCAPED.sub(lambda match: match[2] or " ", value).split())


def _when(event: Fields, zone: tzinfo) -> str:
    """Write when an event begins: a day, or a minute in the user's time zone; nothing where that cannot be read."""
    parameters, value = event.get("DTSTART", ("", ""))
    try:
        if "T" not in value:
            return f"{datetime.strptime(value, '%Y%m%d'):%Y-%m-%d}"  # noqa: DTZ007 - a day has no zone
        named = _ZONE.search(parameters)
        own = UTC if value.endswith("Z") else ZoneInfo(named[1]) if named else zone
        moment = datetime.strptime(value.rstrip("Z"), "%Y%m%dT%H%M%S").replace(tzinfo=own)
        return f"{moment.astimezone(zone):%Y-%m-%d %H:%M}"
    except (KeyError, ValueError, OSError, OverflowError):
        return ""
