from hypothesis import given
from hypothesis import strategies as st

from memu_py.records.locator import LOCATOR, Locator, clock

LOCATORS = st.builds(
    Locator,
    page=st.none() | st.integers(1, 9999),
    sheet=st.none() | st.text(min_size=1),
    rows=st.none() | st.tuples(st.integers(1, 99), st.integers(1, 99)),
    box=st.none() | st.tuples(*[st.integers(0, 9999)] * 4),
    start_s=st.none() | st.floats(0, 1e6),
    end_s=st.none() | st.floats(0, 1e6),
)


@given(locator=LOCATORS)
def test_a_locator_survives_as_plain_data(locator: Locator) -> None:
    assert Locator.from_dict(locator.to_dict()) == locator


def test_keys_of_later_versions_are_left_out() -> None:
    assert Locator.from_dict({"page": 2, "stanza": 5}) == Locator(page=2)


def test_metadata_without_a_locator_has_none() -> None:
    assert Locator.of({"page": 3}) is None
    assert Locator.of({LOCATOR: "page 3"}) is None
    assert Locator.of({LOCATOR: {"page": 3}}) == Locator(page=3)


def test_a_place_is_written_for_a_person() -> None:
    assert str(Locator(slide=2)) == "slide 2"
    assert str(Locator(sheet="Prices", rows=(4, 4))) == "sheet Prices, row 4"
    assert str(Locator(page=1, box=(1, 2, 30, 40))) == "page 1, box 1,2–30,40"
    assert str(Locator(start_s=59.9)) == "0:59"
    assert clock(36_000) == "10:00:00"
