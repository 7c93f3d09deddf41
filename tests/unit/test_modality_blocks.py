from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memu_py.modality.blocks import HEADER, Block, BlockKind, joined
from memu_py.modality.markdown import BLOCK, SECTION
from memu_py.records.locator import LOCATOR, Locator

SAID_AT = datetime(2026, 3, 2, 8, tzinfo=UTC)
KINDS: tuple[BlockKind, ...] = ("heading", "paragraph", "list", "table", "code", "notes", "context")
BLOCKS = st.builds(
    Block,
    text=st.text(),
    kind=st.sampled_from(KINDS),
    level=st.integers(1, 6),
    speaker=st.none() | st.just("Ann"),
    said_at=st.none() | st.just(SAID_AT),
)


@given(blocks=st.lists(BLOCKS, max_size=8), max_chars=st.integers(10, 200))
def test_spans_lie_in_the_text_in_order(blocks: list[Block], max_chars: int) -> None:
    text, segments = joined(blocks, max_chars=max_chars)

    assert [one.ordinal for one in segments] == list(range(len(segments)))
    end = 0
    for one in segments:
        assert text[one.start : one.end] == one.text
        assert end <= one.start < one.end
        end = one.end


@given(block=BLOCKS)
def test_a_block_survives_as_plain_data(block: Block) -> None:
    assert Block.from_dict(block.to_dict()) == block


def test_headings_are_the_section_of_what_follows() -> None:
    blocks = [
        Block(text="Rent", kind="heading", level=1),
        Block(text="Deposit", kind="heading", level=2),
        Block(text="Two months.", locator=Locator(page=3)),
        Block(text="Pets", kind="heading", level=1),
    ]

    text, segments = joined(blocks, max_chars=400)

    assert text == "Rent\n\nDeposit\n\nTwo months.\n\nPets"
    assert [one.text for one in segments] == ["Two months.", "Pets"]
    assert segments[0].metadata == {SECTION: ["Rent", "Deposit"], LOCATOR: {"page": 3}}
    assert segments[1].metadata == {}


def test_a_table_is_whole_while_it_fits() -> None:
    table = Block(text="Name: Ann\nName: Ben", kind="table", locator=Locator(sheet="Staff", rows=(2, 3)))

    _, segments = joined([table], max_chars=400)

    assert [one.text for one in segments] == ["Name: Ann\nName: Ben"]
    assert segments[0].metadata == {BLOCK: "table", LOCATOR: {"sheet": "Staff", "rows": [2, 3]}}


def test_a_long_table_is_cut_between_rows_that_know_their_numbers() -> None:
    rows = [f"Name: person {number}" for number in range(10, 20)]
    table = Block(
        text="\n".join(rows), kind="table", locator=Locator(rows=(2, 11)), metadata={HEADER: "Name"}
    )

    _, segments = joined([table], max_chars=40)

    assert [one.text for one in segments] == ["\n".join(rows[at : at + 2]) for at in range(0, 10, 2)]
    assert [one.metadata[LOCATOR]["rows"] for one in segments] == [[2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]


def test_context_makes_no_memory_and_stands_in_the_text() -> None:
    text, segments = joined([Block(text="Page 1 of 9", kind="context"), Block(text="Hello.")], max_chars=400)

    assert text == "Page 1 of 9\n\nHello."
    assert [one.kind for one in segments] == ["context", "paragraph"]


def test_a_heading_without_text_ends_the_sections_of_its_level() -> None:
    blocks = [
        Block(text="Book", kind="heading", level=1),
        Block(text="Dawn", kind="heading", level=2),
        Block(text="It begins."),
        Block(text="", kind="heading", level=2),
        Block(text="It goes on."),
    ]

    text, segments = joined(blocks, max_chars=400)

    assert text == "Book\n\nDawn\n\nIt begins.\n\nIt goes on."
    assert [one.metadata[SECTION] for one in segments] == [["Book", "Dawn"], ["Book"]]


def test_what_somebody_says_has_them_and_its_time() -> None:
    said = Block(text="I moved. I like it.", speaker="Ann", said_at=SAID_AT)

    _, (one,) = joined([said], max_chars=400)
    _, (other,) = joined([said.evolve(speaker="Ben")], max_chars=400)

    assert (one.speaker, one.said_at, one.kind) == ("Ann", SAID_AT, "paragraph")
    assert one.hash != other.hash


def test_the_room_of_a_segment_may_depend_on_its_text() -> None:
    blocks = [Block(text="One two. Three four. Five six."), Block(text="一二三四。五六七八。九十。")]

    _, segments = joined(blocks, max_chars=lambda text: 20 if text.isascii() else 5)

    assert [one.text for one in segments] == [
        "One two. Three four.",
        "Five six.",
        "一二三四。",
        "五六七八。",
        "九十。",
    ]
