"""Documents through the public API: from a path to an item that leads back to its place, offline."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from documents_kit import CHINESE_FONT, book, drawn, mail, scanned, set_pdf, slides, word, workbook

from memu_py import MemoryService
from memu_py.errors import InvalidInput
from memu_py.records.item import Item
from memu_py.records.locator import Locator

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
FILES = {
    "house.pdf": set_pdf(
        [
            [("Heading1", "Rent"), ("BodyText", "The rent is 900 euros and is paid by bank transfer.")],
            [("Heading1", "Pets"), ("BodyText", "Snakes and other reptiles are not allowed in the house.")],
            [("Heading1", "Garden"), ("BodyText", "The lawn is mowed by the tenants every second Saturday.")],
        ]
    ),
    "letter.docx": word(
        [
            ("Heading 1", "Application"),
            ("Normal", "Maria studied marine biology at the university of Bergen."),
        ]
    ),
    "plan.pptx": slides(
        [
            {"title": "Budget", "lines": ["Marketing gets forty thousand dollars this year."]},
            {"title": "Hiring", "lines": ["Two welders will be hired for the workshop in spring."]},
        ]
    ),
    "stock.xlsx": workbook(
        {
            "Tools": [["Tool", "Shelf"], ["angle grinder", "B7"], ["chisel", "C2"]],
            "Seeds": [["Seed", "Sown in"], ["pumpkin", "May"], ["spinach", "August"]],
        }
    ),
    "page.html": b"<!doctype html><h1>Bread</h1><p>Sourdough bread is baked at 240 degrees.</p>",
    "tale.epub": book(
        {
            "one.xhtml": "<h1>The harbour</h1><p>Captain Ilse lost her left glove in a storm.</p>",
            "two.xhtml": "<h1>The island</h1><p>The lighthouse keeper raised seven white goats.</p>",
        }
    ),
    "people.csv": "姓名,城市,爱好\n小美,杭州,骑自行车\n阿木,苏州,下围棋\n".encode(),
    "move.eml": mail("I moved to Lisbon last week and work as a translator now."),
}
QUESTIONS = {
    "house.pdf": ("Are reptiles such as snakes allowed?", "Snakes and other reptiles", Locator(page=2)),
    "letter.docx": ("Where did Maria study marine biology?", "university of Bergen", None),
    "plan.pptx": ("Who will be hired for the workshop?", "Two welders", Locator(slide=2)),
    "stock.xlsx": ("On which shelf is the angle grinder?", "grinder; Shelf: B7", Locator(sheet="Tools", rows=(2, 3))),
    "page.html": ("At how many degrees is sourdough bread baked?", "240 degrees", None),
    "tale.epub": ("Which animals did the lighthouse keeper raise?", "seven white goats", Locator(chapter="The island")),
    "people.csv": ("谁喜欢下围棋？", "姓名: 阿木; 城市: 苏州; 爱好: 下围棋", Locator(rows=(2, 3))),
    "move.eml": ("Where did Ann move to?", "I moved to Lisbon", None),
}  # fmt: skip


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[MemoryService]:
    config = {
        "database": {"backend": "sqlite", "path": str(tmp_path / "memu.db")},
        "blobs": {"allowed_roots": [str(tmp_path)]},
    }
    async with MemoryService(config, clock=lambda: NOW) as opened:
        yield opened


def kept(folder: Path, name: str, data: bytes) -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


async def top(service: MemoryService, question: str) -> Item:
    found = await service.retrieve(question, user="ann")
    return found.items[0].record


async def test_a_question_about_each_file_finds_its_place_on_top(
    service: MemoryService, tmp_path: Path
) -> None:
    for name, data in FILES.items():
        result = await service.memorize(resource_url=kept(tmp_path, name, data), user="ann")
        assert (result.resource.modality, result.warnings) == ("document", ()), name
        assert result.added, name

    for name, (question, words, place) in QUESTIONS.items():
        item = await top(service, question)
        assert words in item.text, name
        assert Locator.of(item.metadata) == place, name


async def test_the_same_file_again_is_unchanged_and_a_new_edition_gives_what_is_new(
    service: MemoryService, tmp_path: Path
) -> None:
    path = kept(
        tmp_path, "rules.pdf", drawn([["Dogs are welcome in the garden."], ["Smoking is forbidden inside."]])
    )
    first = await service.memorize(resource_url=path, user="ann")
    again = await service.memorize(resource_url=path, user="ann")
    kept(
        tmp_path,
        "rules.pdf",
        drawn([["Dogs are welcome in the garden."], ["Smoking is allowed on the balcony."]]),
    )
    newer = await service.memorize(resource_url=path, user="ann")

    assert (again.unchanged, again.resource.id, again.added) == (True, first.resource.id, ())
    assert [item.text for item in newer.added] == ["Smoking is allowed on the balcony."]
    assert newer.resource.id == first.resource.id


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.pdf", FILES["house.pdf"][:400]),
        ("a.docx", FILES["letter.docx"][:-200]),
        ("a.xlsx", FILES["stock.xlsx"].replace(b"PK\x01\x02", b"PK\x01\x03")),
        ("a.epub", FILES["tale.epub"].replace(b"OEBPS/content.opf", b"OEBPS/nothing.opf")),
        ("a.pdf", scanned([None])),
        ("a.pdf", drawn([["secret"]], encrypt="hunter2")),
    ],
)
async def test_what_cannot_be_read_stores_nothing(
    service: MemoryService, tmp_path: Path, name: str, data: bytes
) -> None:
    with pytest.raises(InvalidInput):
        await service.memorize(resource_url=kept(tmp_path, name, data), user="ann")

    assert not list(await service.list_resources(user="ann"))
    assert await service.count_items(user="ann") == 0


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.pdf", drawn([["第一页没有什么。"], ["小美住在杭州，养了一只叫年糕的猫。"]], font=CHINESE_FONT)),
        ("a.docx", word([("Heading 1", "家庭"), ("Normal", "小美住在杭州，养了一只叫年糕的猫。")])),
        ("a.csv", "姓名,城市,宠物\n小美,杭州,叫年糕的猫\n阿木,苏州,狗\n".encode("gb18030")),
    ],
)
async def test_chinese_in_a_document_is_found(
    service: MemoryService, tmp_path: Path, name: str, data: bytes
) -> None:
    await service.memorize(resource_url=kept(tmp_path, name, data), user="ann")
    await service.memorize(text="北京的冬天很冷。\n\n苏州的园林很有名。", user="ann")

    item = await top(service, "谁的猫叫年糕？")

    assert "小美" in item.text
    assert "年糕" in item.text


async def test_what_was_left_out_is_told_of(service: MemoryService, tmp_path: Path) -> None:
    path = kept(tmp_path, "part.pdf", scanned(["The cover says welcome to the museum.", None]))

    result = await service.memorize(resource_url=path, user="ann")

    assert [item.text for item in result.added] == ["The cover says welcome to the museum."]
    assert result.warnings == ("nothing was read in 1 of 1 pictures",)


async def test_what_could_not_be_read_is_read_when_the_means_are_there(tmp_path: Path) -> None:
    config = {
        "database": {"backend": "sqlite", "path": str(tmp_path / "memu.db")},
        "blobs": {"allowed_roots": [str(tmp_path)]},
    }
    pages = ["The cover says welcome to the museum.", "!The gardener is called Rosalind"]
    path = kept(tmp_path, "scan.pdf", scanned(pages))
    async with MemoryService(config | {"images": {"ocr": "off"}}) as blind:
        first = await blind.memorize(resource_url=path, user="ann")
        known = await blind.memorize(resource_url=path, user="ann")
    async with MemoryService(config) as seeing:
        second = await seeing.memorize(resource_url=path, user="ann")
        third = await seeing.memorize(resource_url=path, user="ann")
    async with MemoryService(config | {"images": {"ocr": "off"}}) as blind:
        again = await blind.memorize(resource_url=path, user="ann")
        left = await blind.list_items(user="ann")

    assert "nothing here reads it" in first.warnings[0]
    assert known.unchanged
    assert [item.text for item in second.added] == ["The gardener is called Rosalind"]
    assert not second.unchanged
    assert second.resource.id == first.resource.id
    assert third.unchanged
    # What was read once stays, though it could not be read now.
    assert (again.added, len(left.records)) == ((), 2)


async def test_a_scanned_page_is_found_by_what_is_written_on_it(
    service: MemoryService, tmp_path: Path
) -> None:
    pages = ["The cover says welcome to the museum.", "!The gardener is called Rosalind"]
    await service.memorize(resource_url=kept(tmp_path, "scan.pdf", scanned(pages)), user="ann")

    item = await top(service, "What is the gardener called?")

    assert item.text == "The gardener is called Rosalind"
    place = Locator.of(item.sources[0].metadata)
    assert place is not None
    assert place.page == 2
    assert place.box is not None


async def test_what_a_mail_says_has_its_sender_and_counts_from_its_date(
    service: MemoryService, tmp_path: Path
) -> None:
    path = kept(tmp_path, "a.eml", mail("Dear Ben,\n\nI started a new job at the harbour yesterday."))

    await service.memorize(resource_url=path, user="ann")
    item = await top(service, "Who started a new job?")

    assert (item.speaker, item.said_at) == ("Ann Lee", datetime(2026, 3, 2, 8, tzinfo=UTC))
    assert item.happened is not None
    assert item.happened.start.date().isoformat() == "2026-03-01"


async def test_a_document_given_as_bytes_is_read_and_read_again_when_asked(service: MemoryService) -> None:
    result = await service.memorize(data=FILES["people.csv"], user="ann")
    again = await service.memorize(data=FILES["people.csv"], user="ann")

    assert (result.resource.modality, result.resource.media_type) == ("document", "text/csv")
    assert again.unchanged


async def test_erasing_a_document_erases_what_it_gave(service: MemoryService, tmp_path: Path) -> None:
    result = await service.memorize(resource_url=kept(tmp_path, "a.pdf", FILES["house.pdf"]), user="ann")

    await service.delete_resource(result.resource.id, user="ann")

    assert await service.count_items(user="ann") == 0
    assert not (await service.retrieve("Are snakes allowed?", user="ann")).items
