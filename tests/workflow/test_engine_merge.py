"""A list of steps in the configuration, merged into the packaged workflow."""

from collections.abc import Sequence

import pytest
from merge_kit import MEMORIZE, RETRIEVE, TuneConfig, merged, order, packaged, refusal

from memu_py.workflow.merge import merge_list
from memu_py.workflow.spec import RetrySpec

# The order


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        # the example of the documentation
        (
            "[extract, classify, update]",
            "ingest preprocess extract dedupe classify embed persist update build",
        ),
        # what is not listed and not required is off
        ("[extract]", "ingest preprocess extract dedupe embed persist build"),
        # everything listed is the packaged workflow
        (
            "[ingest, preprocess, assess, extract, dedupe, classify, embed, persist, update, build]",
            "ingest preprocess assess extract dedupe classify embed persist update build",
        ),
        # a required step may be listed by its name or by its key
        ("[extract, build_memorize]", "ingest preprocess extract dedupe embed persist build"),
        # own steps stay behind the listed step they follow
        ("[extract, my_filter]", "ingest preprocess extract my_filter dedupe embed persist build"),
        (
            "[extract, my_filter, classify, my_nothing]",
            "ingest preprocess extract my_filter dedupe classify my_nothing embed persist build",
        ),
        ("[extract, persist, my_audit]", "ingest preprocess extract dedupe embed persist my_audit build"),
        # … or move on as far as their needs ask, never past the next listed step
        ("[extract, my_vectors]", "ingest preprocess extract dedupe embed my_vectors persist build"),
        (
            "[extract, my_audit, update]",
            "ingest preprocess extract dedupe embed persist my_audit update build",
        ),
        (
            "[extract, my_vectors, my_nothing, my_audit]",
            "ingest preprocess extract dedupe embed my_vectors my_nothing persist my_audit build",
        ),
        # at the head of the list: to the front, or behind what they need
        ("[my_redact, extract]", "my_redact ingest preprocess extract dedupe embed persist build"),
        ("[my_extract]", "ingest preprocess my_extract dedupe embed persist build"),
        ("[my_extract, my_filter]", "ingest preprocess my_extract my_filter dedupe embed persist build"),
        (
            "[my_extract, classify]",
            "ingest preprocess my_extract dedupe classify embed persist build",
        ),
        # required steps keep the packaged order, whatever the list says
        (
            "[extract, persist, embed]",
            "ingest preprocess extract dedupe embed persist build",
        ),
        (
            "[build, extract, ingest]",
            "ingest preprocess extract dedupe embed persist build",
        ),
        # a packaged step behind one of its successors is placed like an own one
        ("[extract, assess]", "ingest preprocess extract assess dedupe embed persist build"),
        (
            "[extract, update, classify]",
            "ingest preprocess extract dedupe embed persist update classify build",
        ),
        (
            "[extract, persist, my_audit, embed]",
            "ingest preprocess extract dedupe embed persist my_audit build",
        ),
        # own parallel groups
        (
            "[extract, {parallel: [classify, my_nothing]}]",
            "ingest preprocess extract dedupe [classify my_nothing] embed persist build",
        ),
        # the same step once more under another name
        (
            "[extract, {use: assess, name: again}]",
            "ingest preprocess extract again dedupe embed persist build",
        ),
    ],
)
def test_a_list_runs_among_the_required_steps_of_memorize(steps: str, wanted: str) -> None:
    assert order(merged(steps)) == wanted


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        ("[]", "[recall_dense recall_keyword] fuse rank build"),
        ("[expand]", "[recall_dense recall_keyword] fuse rank expand build"),
        ("[recall_entity]", "[recall_entity recall_dense recall_keyword] fuse rank build"),
        ("[recall_keyword, rank]", "[recall_keyword recall_dense] fuse rank build"),
        ("[hit_resources]", "[recall_dense recall_keyword] fuse rank hit_resources build"),
        (
            "[hit_resources, hit_categories]",
            "[recall_dense recall_keyword] fuse rank [hit_resources hit_categories] build",
        ),
        (
            "[hit_categories, my_rerank, hit_resources]",
            "[recall_dense recall_keyword] fuse rank hit_categories my_rerank hit_resources build",
        ),
        ("[my_rerank]", "[recall_dense recall_keyword] fuse rank my_rerank build"),
        ("[my_recall]", "my_recall [recall_dense recall_keyword] fuse rank build"),
        (
            "[{parallel: [recall_dense, my_recall]}]",
            "[recall_dense my_recall recall_keyword] fuse rank build",
        ),
        (
            "[recall_dense, my_recall, recall_keyword]",
            "recall_dense my_recall recall_keyword fuse rank build",
        ),
        # a group cannot be joined behind a required step that needs it
        (
            "[{parallel: [fuse, recall_entity]}]",
            "[recall_dense recall_keyword] [fuse recall_entity] rank build",
        ),
        ("[fuse, recall_entity]", "[recall_dense recall_keyword] fuse recall_entity rank build"),
        (
            "[{use: my_recall, replaces: recall_dense}]",
            "[my_recall recall_keyword] fuse rank build",
        ),
    ],
)
def test_a_list_runs_among_the_required_steps_of_retrieve(steps: str, wanted: str) -> None:
    assert order(merged(steps, RETRIEVE)) == wanted


# What a listed step says


def test_a_listed_packaged_step_keeps_what_the_packaged_workflow_says() -> None:
    extract = merged("[extract]").step("extract")
    assert extract.config == TuneConfig(size=7, mode="deep")
    assert extract.timeout_s == 60
    assert extract.retry == RetrySpec(attempts=2)
    assert extract.origin == "packaged"


def test_the_list_overrides_key_by_key() -> None:
    extract = merged("[{use: extract, with: {mode: fast}, timeout_s: 5, retry: null}]").step("extract")
    assert extract.config == TuneConfig(size=7, mode="fast")
    assert extract.timeout_s == 5
    assert extract.retry is None
    assert extract.origin == "config"


def test_a_required_step_can_be_configured_and_stays_required() -> None:
    pipeline = merged("[extract, {use: build, with: {size: 3}}, {use: embed, required: true, timeout_s: 9}]")
    assert order(pipeline) == "ingest preprocess extract dedupe embed persist build"
    build, embed = pipeline.step("build"), pipeline.step("embed")
    assert (build.use, build.config, build.required) == ("build_memorize", TuneConfig(size=3), True)
    assert (embed.timeout_s, embed.required) == (9, True)


@pytest.mark.parametrize(
    "entry",
    [
        "{use: my_embed, replaces: embed, timeout_s: 4}",
        "{use: my_embed, replaces: embed, name: my_embed, timeout_s: 4}",
        "{use: my_embed, name: embed, timeout_s: 4}",
    ],
)
def test_a_required_step_can_be_replaced(entry: str) -> None:
    pipeline = merged(f"[extract, {entry}]")
    (mine,) = [one for one in pipeline.steps if one.use == "my_embed"]
    assert order(pipeline) == f"ingest preprocess extract dedupe {mine.name} persist build"
    assert (mine.required, mine.slot, mine.timeout_s, mine.origin) == (True, "embed", 4, "config")


def test_a_replaced_optional_step_takes_nothing_over() -> None:
    mine = merged("[{use: my_extract, replaces: extract}]").step("my_extract")
    assert (mine.config, mine.timeout_s, mine.retry, mine.required) == (TuneConfig(), None, None, False)
    assert order(merged("[{use: my_extract, replaces: extract}, classify]")) == (
        "ingest preprocess my_extract dedupe classify embed persist build"
    )


def test_an_own_step_is_marked_as_from_the_configuration() -> None:
    pipeline = merged("[extract, my_filter]")
    origins = {one.name: one.origin for one in pipeline.steps}
    assert origins["my_filter"] == "config"
    assert {origin for name, origin in origins.items() if name != "my_filter"} == {"packaged"}


def test_a_list_from_no_file_may_be_merged_too() -> None:
    assert order(merge_list(packaged(MEMORIZE), ["extract", {"use": "my_filter"}])) == (
        "ingest preprocess extract my_filter dedupe embed persist build"
    )


# Faults


@pytest.mark.parametrize(
    ("steps", "report"),
    [
        (
            "- extract\n- use: my_embed\n  replaces: embd",
            [
                "config.yaml:3: step `my_embed`: `replaces`: no packaged step `embd`; did you mean `embed`? there are "
                "assess, build, classify, dedupe, embed, extract, ingest, persist, preprocess, update"
            ],
        ),
        (
            "- extract\n- use: embed\n  required: false",
            ["config.yaml:3: step `embed`: it is required; it can be configured or replaced, not lost"],
        ),
        (
            "- extract\n- use: embed\n  on_error: skip",
            ["config.yaml:3: step `embed`: a required step cannot have `on_error: skip`"],
        ),
        (
            "- extract\n- use: wrong_embed\n  replaces: embed",
            [
                "packaged.yaml:13: step `persist`: it needs `vectors` (list[str]), which nothing before it gives; "
                "steps that give it: embed, my_embed, my_vectors; before it there are drafts, nothing, resource, "
                "segments, text"
            ],
        ),
        (
            "- classify",
            [
                "packaged.yaml:10: step `dedupe`: it needs `drafts` (list[str]), which nothing before it gives; "
                "steps that give it: extract, my_extract, my_filter; before it there are resource, segments, text"
            ],
        ),
        (
            "- use: extract\n  with:\n    sise: 3",
            ["config.yaml:3: step `extract`: no key `sise`; did you mean `size`? there are mode, size"],
        ),
        (
            "- parallel: [embed, persist]\n- extract",
            [
                "config.yaml:1: step `embed`: `embed`, `persist` are required one after another; they cannot run in "
                "parallel"
            ],
        ),
        (
            "- extract\n- extract",
            [
                "config.yaml:2: step `extract`: there is a step of this name at config.yaml:1; give one a `name`"
            ],
        ),
        ("extract", ["config.yaml:1: `steps` must be a list of steps, not 'extract'"]),
        ("- extract\n- xyz", ["config.yaml:2: step `xyz`: no step `xyz`; there are assess, build_memorize"]),
    ],
)
def test_faults_of_a_list_are_told_with_the_line_of_the_file_they_stand_in(
    steps: str, report: Sequence[str]
) -> None:
    found = refusal(steps)
    for wanted in report:
        assert any(fault.startswith(wanted) for fault in found), found


def test_a_step_that_the_packaged_workflow_uses_twice_must_be_named() -> None:
    text = MEMORIZE.replace(
        "  - assess\n", "  - {use: assess, name: first}\n  - {use: assess, name: second}\n"
    )
    assert order(merged("[extract, first]", text)) == (
        "ingest preprocess extract first dedupe embed persist build"
    )
    assert refusal("[extract, assess]", text)[0] == (
        "config.yaml:1: step `assess`: the packaged workflow uses it as `first`, `second`; give the `name`"
    )


def test_what_the_list_does_not_name_is_told_with_its_line_in_the_packaged_workflow() -> None:
    assert [fault.partition(": step")[0] for fault in refusal("- assess")] == ["packaged.yaml:10"]
