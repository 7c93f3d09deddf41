"""The example modality, installed as a package: found, asked first, and its events answer questions."""

import json
import sys
from pathlib import Path

import pytest
from memu_calendar import CalendarParser
from test_plugin_package import MEMU, ROOT, install, run

from memu_py.errors import InvalidInput
from memu_py.language.zones import zone
from memu_py.modality.parser import ParseOptions
from memu_py.modality.raw import Raw

PLUGIN = ROOT / "examples" / "modality_plugin"
LISBON = ParseOptions(zone=zone("Europe/Lisbon"))

CALENDAR = """\
BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:1@family
SUMMARY:Dentist
DTSTART;TZID=Europe/Berlin:20260504T100000
LOCATION:Rua Nova 3\\, Porto
DESCRIPTION:Bring the x-rays\\nand the insuran
 ce card.
BEGIN:VALARM
TRIGGER:-PT1H
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
BEGIN:VEVENT
UID:2@family
SUMMARY:外婆生日
DTSTART;VALUE=DATE:20260617
END:VEVENT
BEGIN:VEVENT
SUMMARY:Choir rehearsal
DTSTART:20260511T183000Z
END:VEVENT
BEGIN:VEVENT
SUMMARY:Car inspection
DTSTART:soon
END:VEVENT
END:VCALENDAR
""".replace("\n", "\r\n")

SCRIPT = """
import asyncio, json
from pathlib import Path
from memu_py import MemoryService

async def main():
    async with MemoryService({"database": {"backend": "memory"}, "timezone": "Europe/Lisbon"}) as service:
        path = Path("family.txt")
        result = await service.memorize(resource_url=str(path), user="ann")
        report = {"modality": result.resource.modality, "warnings": result.warnings, "top": {}}
        for question in ("When do I have to see the dentist?", "外婆什么时候过生日？", "When is choir?"):
            item = (await service.retrieve(question, user="ann")).items[0].record
            when = item.happened
            report["top"][question] = [item.text, when and when.start.isoformat(), dict(item.sources[0].metadata)]
        path.write_text(path.read_text().replace("Rua Nova 3", "Rua Velha 8"))
        changed = await service.memorize(resource_url=str(path), user="ann")
        report["changed"] = [item.text for item in changed.added]
    print(json.dumps(report, ensure_ascii=False))

asyncio.run(main())
"""


def parsed(text: str, options: ParseOptions = LISBON) -> list[str]:
    found = CalendarParser().parse(Raw(data=text.encode()), options=options)
    assert [found.text[one.start : one.end] for one in found.segments] == [one.text for one in found.segments]
    return [one.text for one in found.segments]


def event(*lines: str) -> str:
    return "\n".join(["BEGIN:VCALENDAR", "BEGIN:VEVENT", *lines, "END:VEVENT", "END:VCALENDAR"])


def test_each_event_is_a_segment_with_its_date_in_the_users_zone() -> None:
    assert parsed(CALENDAR) == [
        "Dentist: 2026-05-04 09:00, Rua Nova 3, Porto. Bring the x-rays and the insurance card.",
        "外婆生日: 2026-06-17",
        "Choir rehearsal: 2026-05-11 19:30",
        "Car inspection",
    ]


@pytest.mark.parametrize(
    "start",
    [";TZID=Nowhere/Atall:20260504T100000", ";TZID=Europe:20260504T1000", ":2026", ":", ":00010101T000000Z"],
)
def test_a_date_that_cannot_be_read_is_told(start: str) -> None:
    raw = Raw(data=event("SUMMARY:Dentist", f"DTSTART{start}").encode())
    found = CalendarParser().parse(raw, options=ParseOptions(zone=zone("America/New_York")))
    assert [one.text for one in found.segments] == ["Dentist"]
    assert found.warnings == ("no date could be read for: Dentist",)


@pytest.mark.parametrize("text", ["BEGIN:VCALENDAR\nEND:VCALENDAR", event(), event("UID:1"), CALENDAR[:80]])
def test_a_calendar_without_events_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="holds no event"):
        parsed(text)


def test_a_damaged_calendar_is_read_or_refused() -> None:
    data = bytearray(CALENDAR.encode())
    cut = [bytes(data[:end]) for end in range(0, len(data), 3)]
    flipped = [
        bytes(data[:place]) + bytes([data[place] ^ 0x15]) + bytes(data[place + 1 :])
        for place in range(0, len(data), 2)
    ]
    for one in [*cut, *flipped]:
        try:
            found = CalendarParser().parse(Raw(data=one), options=LISBON)
        except InvalidInput:
            continue
        assert [found.text[part.start : part.end] for part in found.segments] == found.text.split("\n\n")


def test_only_calendars_are_accepted() -> None:
    raw = Raw(data=b"")
    assert CalendarParser().accepts(raw, "\ufeff\r\nBEGIN:VCALENDAR".lstrip("\ufeff"))
    assert not CalendarParser().accepts(raw, "Ann: my calendar says BEGIN:VCALENDAR")
    assert not CalendarParser().accepts(raw, None)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plug-in, built by its own backend and installed into a folder of its own."""
    return install(PLUGIN, tmp_path_factory.mktemp("plugin"))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_an_installed_modality_is_asked_first_and_answers_questions(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "family.txt").write_bytes(CALENDAR.encode())
    done = run(sys.executable, "-W", "error", "-c", SCRIPT, cwd=tmp_path, path=installed)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    dentist, birthday, choir = report["top"].values()

    assert report["modality"] == "calendar"
    assert report["warnings"] == ["no date could be read for: Car inspection"]
    assert dentist[0].startswith("Dentist: 2026-05-04 09:00")
    assert dentist[1] == "2026-05-04T08:00:00+00:00"
    assert dentist[2] == {"uid": "1@family", "starts": "2026-05-04 09:00"}
    assert birthday[:2] == ["外婆生日: 2026-06-17", "2026-06-16T23:00:00+00:00"]
    assert choir[1] == "2026-05-11T18:30:00+00:00"
    assert [text[:33] for text in report["changed"]] == ["Dentist: 2026-05-04 09:00, Rua Ve"]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_command_line_takes_it_in_only_while_it_is_installed(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "family.ics").write_bytes(CALENDAR.encode())
    listed = run(MEMU, "plugins", cwd=tmp_path, path=installed)
    taken = run(MEMU, "memorize", "family.ics", "--modality", "calendar", cwd=tmp_path, path=installed)
    bare = run(MEMU, "memorize", "family.ics", "--modality", "calendar", cwd=tmp_path, path=None)

    assert "calendar" in listed.stdout
    assert taken.returncode == 0, taken.stderr
    assert bare.returncode == 1
    assert "calendar" in bare.stderr + bare.stdout
