"""Packaged workflows in the shape of the real ones, and steps for them."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from memu_py.errors import WorkflowError
from memu_py.marked_yaml import load_yaml
from memu_py.workflow.load import load_workflow
from memu_py.workflow.merge import merge_list
from memu_py.workflow.pipeline import Pipeline
from memu_py.workflow.registry import Registry
from memu_py.workflow.step import step

Draft = list[str]


class TuneConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    size: int = 1
    mode: str = "plain"


def simple(name: str, reads: str, writes: str) -> Any:
    """Return a step that reads some keys and writes some, all lists of words; each takes a configuration."""

    async def run(**inputs: Any) -> Any:
        return []

    parameters = ", ".join([*(f"{key}: Draft" for key in reads.split()), "*", "config: TuneConfig"])
    scope: dict[str, Any] = {"Draft": Draft, "TuneConfig": TuneConfig, "Any": Any}
    exec(f"async def {name}({parameters}) -> Any:\n    return []\n", scope)
    return step(name, produces=dict.fromkeys(writes.split(), Draft))(scope[name])


def appender(name: str, reads: str) -> Any:
    @step(name, appends={"candidates": Draft})
    async def recall(text: Draft) -> Draft:
        return text

    return recall


PARTS = [
    simple("ingest", "text", "resource"),
    simple("preprocess", "resource", "segments"),
    simple("assess", "segments", "segments"),
    simple("extract", "segments", "drafts"),
    simple("dedupe", "drafts", "drafts"),
    simple("classify", "drafts", "links"),
    simple("embed", "drafts", "vectors"),
    simple("persist", "drafts vectors", "committed"),
    simple("update", "committed", "categories"),
    simple("build_memorize", "committed", "report"),
    simple("my_extract", "segments", "drafts"),
    simple("my_filter", "drafts", "drafts"),
    simple("my_vectors", "vectors", "vectors"),
    simple("my_audit", "committed", "audit"),
    simple("my_redact", "text", "text"),
    simple("my_embed", "drafts", "vectors"),
    simple("wrong_embed", "drafts", "nothing"),
    simple("my_nothing", "", ""),
    appender("recall_dense", "text"),
    appender("recall_keyword", "text"),
    appender("recall_entity", "text"),
    appender("my_recall", "text"),
    simple("fuse", "candidates", "fused"),
    simple("rank", "fused", "hits"),
    simple("expand", "hits", "hits"),
    simple("hit_categories", "hits", "category_hits"),
    simple("hit_resources", "hits", "resource_hits"),
    simple("build_retrieve", "hits", "answer"),
    simple("my_rerank", "hits", "hits"),
]

MEMORIZE = """\
name: memorize
steps:
  - {use: ingest, required: true}
  - {use: preprocess, required: true}
  - assess
  - use: extract
    with: {size: 7, mode: deep}
    timeout_s: 60
    retry: {attempts: 2}
  - {use: dedupe, required: true}
  - {use: classify, on_error: skip}
  - {use: embed, required: true}
  - {use: persist, required: true}
  - update
  - {use: build_memorize, name: build, required: true}
"""

RETRIEVE = """\
name: retrieve
steps:
  - parallel:
      - {use: recall_dense, required: true}
      - {use: recall_keyword, required: true}
      - recall_entity
  - {use: fuse, required: true}
  - {use: rank, required: true}
  - expand
  - parallel: [hit_categories, hit_resources]
  - {use: build_retrieve, name: build, required: true}
"""


def registry() -> Registry:
    found = Registry()
    for part in PARTS:
        found.add_step(part)
    return found


def packaged(text: str) -> Pipeline:
    return load_workflow(text, file="packaged.yaml", registry=registry(), inputs={"text": Draft})


def merged(steps: str, text: str = MEMORIZE) -> Pipeline:
    """Merge a list that stands on line 1 of config.yaml and below."""
    document = load_yaml(steps, file="config.yaml")
    return merge_list(packaged(text), document.value, document.key_mark)


def order(pipeline: Pipeline) -> str:
    """Return the names in order, those of a parallel group in brackets."""
    stages = [[one.name for one in stage] for stage in pipeline.stages]
    return " ".join(stage[0] if len(stage) == 1 else f"[{' '.join(stage)}]" for stage in stages)


def refusal(steps: str, text: str = MEMORIZE) -> list[str]:
    with pytest.raises(WorkflowError) as caught:
        merged(steps, text)
    return list(caught.value.faults)
