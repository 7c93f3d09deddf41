"""Pages that a model is shown, the ids in its answers, and answers in prose."""

import pytest

from memu_py.language.budget import count_tokens
from memu_py.steps.retrieve.citing import Directory
from memu_py.steps.retrieve.layer_reading import LayerReading, read_freely, read_prose
from memu_py.steps.retrieve.shown import Line, pages_of

WHOLE = "01a22a66-55a0-7515-8f8a-af73eb5f0307"


def lines(*texts: str) -> list[Line]:
    return [Line(text=text, ids=(f"id of {text}",)) for text in texts]


@pytest.fixture
def directory() -> Directory:
    made = Directory({WHOLE: "item"})
    for page in pages_of("item", lines(*(f"item {number}" for number in range(1, 13))), 1000):
        made.show(page)
    for page in pages_of("category", lines("music"), 1000):
        made.show(page)
    return made


def test_pages_keep_to_their_budget_and_their_ids_count_on() -> None:
    pages = list(pages_of("item", lines("a" * 40, "b" * 40, "c" * 40, "d" * 400), 25))

    assert [list(page.lines) for page in pages] == [["i1", "i2"], ["i3"], ["i4"]]
    assert all(sum(count_tokens(line.text) for line in page.lines.values()) <= 25 for page in pages)
    assert str(pages[1]) == f"[i3] {'c' * 40}"
    assert pages[2].lines["i4"].text.endswith("d…")
    assert list(pages_of("item", [], 25)) == []


@pytest.mark.parametrize("text", ["吃" * 500, "a" * 2000, "吃a" * 300])
def test_a_line_that_is_too_long_is_cut(text: str) -> None:
    ((page),) = pages_of("passage", lines(text), 100)
    shown = page.lines["p1"].text
    assert 80 <= count_tokens(shown) <= 100
    assert text.startswith(shown.removesuffix("…"))


@pytest.mark.parametrize(
    ("name", "layer", "found"),
    [
        ("i3", "item", "id of item 3"),
        ("[I3]", "category", "id of item 3"),
        (" ref:i12 ", "item", "id of item 12"),
        ("[ref：i3].", "item", "id of item 3"),
        ("【i3】", "item", "id of item 3"),
        ("3", "item", "id of item 3"),
        ("#3", "item", "id of item 3"),
        ("1", "category", "id of music"),
        (f"[ref:{WHOLE.upper()}]", "category", WHOLE),
        ("i13", "item", None),
        ("0", "item", None),
        ("p1", "item", None),
        ("", "item", None),
        ("²", "item", None),
    ],
)
def test_ids_are_known_in_all_their_spellings(
    name: str, layer: str, found: str | None, directory: Directory
) -> None:
    ref = directory.find(name, layer)
    assert (ref.ids[0] if ref else None) == found


@pytest.mark.parametrize(
    ("said", "text", "names"),
    [
        ("Ann plays the cello [i2].", "Ann plays the cello.", ["i2"]),
        (
            "She moved [ref:i1][i3, i4] in May (i5; c1).",
            "She moved in May.",
            ["ref:i1", "i3", "i4", "i5", "c1"],
        ),
        ("安拉大提琴【i2】，住在波尔图（i3、i4）。", "安拉大提琴，住在波尔图。", ["i2", "i3", "i4"]),
        (f"It is blue [ref:{WHOLE}].", "It is blue.", [f"ref:{WHOLE}"]),
        ("See [3].", "See.", ["3"]),
        ("It was in [2023] (2) or (2022).", "It was in [2023] (2) or (2022).", []),
        ("A stranger [i99].", "A stranger.", ["i99"]),
        ("a[0] = {x}", "a[0] = {x}", []),
    ],
)
def test_marks_are_taken_out_of_an_answer(
    said: str, text: str, names: list[str], directory: Directory
) -> None:
    marked = directory.read(said, "item")
    assert (marked.text, list(marked.names)) == (text, names)


def test_bare_ids_count_only_where_they_were_shown(directory: Directory) -> None:
    assert directory.mentioned("Item i2 and I3 say so; the BMW i30, p1, and mp3-i4 do not.") == ("i2", "I3")


PLAIN = "Ann plays the cello."


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        (PLAIN, {"answer": PLAIN}),
        (f"<think>Hm, {{x}}.</think>\n{PLAIN}", {"answer": PLAIN}),
        (f"so it goes</think>{PLAIN}", {"answer": PLAIN}),
        (f"```\n{PLAIN}\n```", {"answer": PLAIN}),
        (
            f"1. `relevant`: i2, i1\n2. **Sufficient**: yes\n3. Answer: {PLAIN}\nSince May.\n4. Citations: [i2]",
            {
                "relevant": ["i2", "i1"],
                "sufficient": True,
                "answer": f"{PLAIN}\nSince May.",
                "citations": ["i2"],
            },
        ),
        (f"{PLAIN}\n\nCitations: [ref:i2]", {"answer": PLAIN, "citations": ["i2"]}),
        (f"Relevant: none\nAnswer: {PLAIN}", {"relevant": [], "answer": PLAIN}),
        (f"Relevant: the second one\nAnswer: {PLAIN}", {"answer": PLAIN}),
        (
            "相关：i2、i3\n足够：是\n回答：安拉大提琴。",
            {"relevant": ["i2", "i3"], "sufficient": True, "answer": "安拉大提琴。"},
        ),
        ("足够：否\n回答：不知道。", {"sufficient": False, "answer": "不知道。"}),
    ],
)
def test_prose_is_read_as_far_as_it_says_what_it_means(text: str, reading: dict[str, object]) -> None:
    found = read_prose(text)
    assert found is not None
    assert found.model_dump(include=found.model_fields_set) == reading


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "<think>Hm",
        '{"relevant": ["i1"], "suff',
        '["i1", ',
        'Sure! {"answer": "Ann',
        "```json\n```",
    ],
)
def test_a_broken_form_is_no_prose(text: str) -> None:
    assert read_prose(text) is None


def test_a_form_may_come_unasked_and_with_numbers_for_ids() -> None:
    found = read_freely('Here: {"relevant": [1, "i2"], "citations": 3, "answer": "Yes."}')
    assert found == LayerReading(relevant=["1", "i2"], citations=["3"], answer="Yes.")
