"""A folder with one file of each kind, taken in and asked from the command line, offline."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cli_kit import Memu
from documents_kit import book, mail, scanned, set_pdf, slides, word, workbook
from drawing_kit import chat_screenshot, covers, whiteboard
from recordings_kit import speech, tiny_model

from memu_py.records.locator import LOCATOR
from memu_py.testing.exports import chatgpt, zipped
from memu_py.testing.recordings import Caption, Scene, silence, sound_file, video_file
from memu_py.transcription.sound import Sound

FERRY = "The ferry to the islands sails on Friday at noon"


class Kind(NamedTuple):
    """One file, a question about it, and what is to be on top."""

    data: bytes
    question: str
    answer: str
    place: Callable[[dict[str, Any]], bool] = lambda place: place == {}


KINDS: Mapping[str, Kind] = {
    "house.pdf": Kind(
        set_pdf(
            [
                [("Heading1", "Pets"), ("BodyText", "Dogs are welcome in all of the rooms.")],
                [("Heading1", "Rent"), ("BodyText", "The monthly rent is nine hundred euros.")],
            ]
        ),
        "How much is the monthly rent?",
        "nine hundred euros",
        lambda place: place == {"page": 2},
    ),
    "scan.pdf": Kind(
        scanned(["The cover of the brochure.", "!The gardener is called Rosalind"]),
        "What is the gardener called?",
        "Rosalind",
        lambda place: place["page"] == 2 and len(place["box"]) == 4,
    ),
    "cv.docx": Kind(
        word([("Heading 1", "Studies"), ("Normal", "Maria studied marine biology in Bergen.")]),
        "Where did Maria study marine biology?",
        "Bergen",
    ),
    "plan.pptx": Kind(
        slides(
            [
                {"title": "Budget", "lines": ["Marketing gets forty thousand dollars."]},
                {"title": "Hiring", "lines": ["Two welders will be hired for the workshop."]},
            ]
        ),
        "Who will be hired for the workshop?",
        "Two welders",
        lambda place: place == {"slide": 2},
    ),
    "stock.xlsx": Kind(
        workbook({"Tools": [["Tool", "Shelf"], ["angle grinder", "B7"]]}),
        "On which shelf is the angle grinder?",
        "B7",
        lambda place: place["sheet"] == "Tools" and place["rows"][-1] == 2,
    ),
    "bread.html": Kind(
        b"<!doctype html><h1>Bread</h1><p>Sourdough bread is baked at 240 degrees.</p>",
        "At how many degrees is sourdough bread baked?",
        "240 degrees",
    ),
    "tale.epub": Kind(
        book({"one.xhtml": "<h1>The island</h1><p>The lighthouse keeper raised seven white goats.</p>"}),
        "Which animals did the lighthouse keeper raise?",
        "seven white goats",
        lambda place: place == {"chapter": "The island"},
    ),
    "people.csv": Kind(
        "姓名,城市,爱好\n小美,杭州,骑自行车\n阿木,苏州,下围棋\n".encode(),
        "谁喜欢下围棋？",
        "阿木",
        lambda place: 3 in range(place["rows"][0], place["rows"][1] + 1),
    ),
    "move.eml": Kind(
        mail("I work as a translator for the embassy now."), "Who is a translator for the embassy?", "embassy"
    ),
    "notes.md": Kind(b"# Garden\n\nThe roses need water on Mondays.\n", "When do the roses need water?", "Mondays"),
    "board.png": Kind(
        whiteboard().saved(),
        "When does the ferry to the islands sail?",
        FERRY,
        lambda place: covers(place["box"], whiteboard().boxes[FERRY], slack=24),
    ),
    "chat.png": Kind(
        chat_screenshot().saved(), "Who is allergic to lilies?", "allergic to lilies", lambda place: "box" in place
    ),
    "talk.srt": Kind(
        b"1\n00:00:01,000 --> 00:00:03,000\nWelcome to the lecture.\n\n"
        b"2\n00:01:05,000 --> 00:01:09,000\nPenguins cannot fly but swim very fast.\n",
        "Which birds cannot fly?",
        "Penguins",
        lambda place: place == {"start_s": 65.0, "end_s": 69.0},
    ),
    "film.mp4": Kind(
        video_file(
            [Scene(4, "Chapter one"), Scene(4, "Vienna Opera House", (20, 40, 90))],
            captions=[Caption(0.5, 2.0, "The conductor lost his baton.")],
        ),
        "Where is the opera house?",
        "Vienna",
        lambda place: 3.5 <= place["start_s"] <= 6.0 and "box" in place,
    ),
    "export.zip": Kind(
        zipped({"conversations.json": [chatgpt(title="Trip to Rome")]}), "Who is allergic to peanuts?", "peanuts"
    ),
}  # fmt: skip


def top(memu: Memu, question: str) -> dict[str, Any]:
    code, out, err = memu("retrieve", question, "--json")
    assert code == 0, err
    record: dict[str, Any] = json.loads(out)["items"][0]["record"]
    return record


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    inner = tmp_path / "mine"
    inner.mkdir()
    return inner


def test_a_question_about_each_file_of_a_folder_finds_its_place(memu: Memu, folder: Path) -> None:
    for name, kind in KINDS.items():
        (folder / name).write_bytes(kind.data)

    code, out, err = memu("memorize", "mine")
    assert code == 0, err

    for name, kind in KINDS.items():
        record = top(memu, kind.question)
        assert kind.answer.casefold() in record["text"].casefold(), (name, record["text"])
        place = record["sources"][0]["metadata"].get(LOCATOR, {})
        assert kind.place(place), (name, place)

    code, again, _ = memu("memorize", "mine")
    assert code == 0
    assert again.count("unchanged") == len(KINDS), again
    code, out, _ = memu("retrieve", KINDS["house.pdf"].question)
    assert "house.pdf, page 2" in out


@pytest.mark.media
def test_what_is_said_in_a_recording_and_a_video_is_found_at_its_second(memu: Memu, folder: Path) -> None:
    (folder.parent / "config.yaml").write_text(
        f"audio:\n  engine: faster-whisper\n  model: {tiny_model()}\n  language: en\n"
    )
    said = Sound(
        speech("The meeting with the dentist is on Friday.", folder.parent / "said.wav").read_bytes(),
        name="said",
        max_s=60,
    )
    (window,) = said.windows(60)
    said.close()
    (folder / "talk.wav").write_bytes(sound_file(window.samples))
    (folder / "quiet.mp3").write_bytes(sound_file(silence(4.0), "mp3"))
    other = Sound(
        speech("I bought a red bicycle in Berlin.", folder.parent / "other.wav").read_bytes(),
        name="other",
        max_s=60,
    )
    (heard,) = other.windows(60)
    other.close()
    film = video_file([Scene(9, "Vienna Opera House")], sound=heard.samples, sound_from=4.0)
    (folder / "film.mp4").write_bytes(film)

    code, _, err = memu("memorize", "mine")
    assert code == 0, err
    assert "nothing is said in it" in err

    dentist = top(memu, "When is the meeting with the dentist?")
    assert "friday" in dentist["text"].lower()
    assert dentist["metadata"][LOCATOR]["start_s"] < 1.5
    bicycle = top(memu, "Where was the bicycle bought?")
    assert "bicycle" in bicycle["text"].lower()
    assert 3.0 <= bicycle["metadata"][LOCATOR]["start_s"] <= 5.5
