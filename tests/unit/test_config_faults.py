"""Faults of config.yaml: all in one report, with their places and the nearest names."""

import pytest

from memu_py.config.fault import known_keys
from memu_py.config.load import load_settings
from memu_py.config.section import Section
from memu_py.errors import ConfigError


def faults(text: str, **env: str) -> list[str]:
    """Load a text that is wrong; return the lines of the report."""
    with pytest.raises(ConfigError) as caught:
        load_settings(text, env=env)
    return str(caught.value).splitlines()


WRONG = """\
llm:
  default:
    modle: gpt-4o
    temperature: 3
database:
  backend: sqllite
  readers: 0
  path: [x]
embedding:
  api_key: 12
  model: "${MODEL}"
  base_url: localhost
  dimensions: many
  calibration: {low: 0.9, high: 0.3}
blobs: here
retreive:
  top_k: 5
timezone: Asia/Shangai
plugins: mine
index: {memory_mb: 1.5}
retrieve:
  top_k: -1
  layers: [itm]
scoring:
  profiles: {own: {half_life_days: 0}}
workflows:
  memorize:
    file: x.yaml
    steps: []
  retrieve_rag:
    steps:
      - 12
      - {use: x, with: {a: ["${NOPE}"]}}
      - "${"
"""

REPORT = [
    ["configuration:3:5", "llm.default: `model` is needed"],
    [
        "configuration:3:5",
        "llm.default: no key `modle`; did you mean `model`? there are api_key, backend, "
        "base_url, cache, concurrency, extra, max_retries, max_tokens, model, provider, requests_per_minute, stream, "
        "structured, temperature, timeout_s",
    ],
    ["configuration:4:18", "llm.default.temperature: must be at most 2.0, not 3"],
    [
        "configuration:6:12",
        "database.backend: no choice `sqllite`; did you mean `sqlite`? there are memory, postgres, sqlite",
    ],
    ["configuration:7:12", "database.readers: must be at least 1, not 0"],
    ["configuration:8:9", "database.path: must be a path, not a list"],
    ["configuration:10:12", "embedding.api_key: must be text; put it in quotes"],
    [
        "configuration:11:10",
        "embedding.model: the environment variable MODEL is needed here and is not set (or is empty)",
    ],
    ["configuration:12:13", "embedding.base_url: must be an address such as http://localhost:11434/v1"],
    ["configuration:13:15", "embedding.dimensions: must be a whole number, not text"],
    ["configuration:14:16", "embedding.calibration: `low` must be below `high`"],
    ["configuration:15:8", "blobs: must be a mapping, not text"],
    [
        "configuration:16:1",
        "no key `retreive`; did you mean `retrieve`? there are audio, blobs, blocks, budget, categories, "
        "conversations, correct, database, documents, embedding, graph, images, index, ingest, item_types, jobs, kv, "
        "llm, maintain, plugins, privacy, profile, prompts, reflect, reranker, retrieve, scope, scoring, server, "
        "timezone, timezones, video, workflows",
    ],
    [
        "configuration:18:11",
        "timezone: no time zone `Asia/Shangai`; did you mean `Asia/Shanghai`? Zones are named like "
        "Europe/Berlin or Asia/Shanghai",
    ],
    ["configuration:19:10", "plugins: must be a list, not text"],
    ["configuration:20:20", "index.memory_mb: must be a whole number, not `1.5`"],
    ["configuration:22:10", "retrieve.top_k: must be at least 1, not -1"],
    [
        "configuration:23:12",
        "retrieve.layers[0]: no choice `itm`; did you mean `item`? there are category, item, resource",
    ],
    ["configuration:25:36", "scoring.profiles.own.half_life_days: must be greater than 0.0, not 0"],
    ["configuration:28:5", "workflows.memorize: give `file` or `steps`, not both"],
    [
        "configuration:32:9",
        "workflows.retrieve_rag.steps[0]: a step is a name, or a mapping with `use` or `parallel`, not int",
    ],
    [
        "configuration:33:9",
        "workflows.retrieve_rag.steps[1]: the environment variable NOPE is needed here and is not set "
        "(or is empty)",
    ],
    [
        "configuration:34:9",
        "workflows.retrieve_rag.steps[2]: cannot read `${`; write ${NAME} or ${NAME:-default}, and $$ for "
        "a plain $",
    ],
]


def test_all_faults_are_in_one_report() -> None:
    lines = faults(WRONG)

    assert lines[0] == "configuration has 23 faults:"
    assert [line.strip().split(": ", 1) for line in lines[1:]] == REPORT


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("database: {backend: postgres}\n", "database: backend postgres needs `dsn`, such as ${MEMU_DSN}"),
        ("embedding: {base_url: 'http://u:p@h/v1'}\n", "must not hold a password; put the key in `api_key`"),
        ("embedding: {base_url: 'ftp://h/v1'}\n", "must be an address such as"),
        ("scope: {keys: [user]}\n", "`user` cannot be a key"),
        ("scope: {keys: [a-b]}\n", "`a-b` cannot be a key"),
        ("scope: {keys: [team, team]}\n", "scope.keys: a key is there twice"),
        ("scope: {default: {user: ''}}\n", "scope.default: user: an id cannot be empty"),
        ("scope: {default: {usr: x}}\n", "no key `usr`; did you mean `user`?"),
        ("retrieve: {layers: []}\n", "retrieve.layers: must hold at least one"),
        ("item_types: []\n", "item_types: must hold at least one"),
        ("item_types: ['']\n", "item_types[0]: String should have at least 1 character"),
        ("timezones: {ann: Mars/Olympus}\n", "timezones.ann: no time zone `Mars/Olympus`"),
        ("categories: {defaults: [{name: Work}, {name: work}]}\n", "the category `work` is there twice"),
        ("categories: {defaults: [{nam: x, name: y}]}\n", "categories.defaults[0]: no key `nam`"),
        ("retrieve: {neighbours: [.nan]}\n", "retrieve.neighbours[0]: Input should be a finite number"),
        ("retrieve: {top_k: true_}\n", "retrieve.top_k: must be a whole number, not text"),
        ("llm: {cheap: }\n", "llm.cheap: `model` is needed"),
        ("- a\n", "a configuration is a mapping of sections, not list"),
    ],
)
def test_a_fault_alone_is_one_line(text: str, message: str) -> None:
    (line,) = faults(text)

    assert line.startswith("configuration:1:")
    assert message in line


def test_faults_of_a_mapping_have_no_lines() -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings({"database": {"path": 3}, 1: 2})  # type: ignore[dict-item]

    assert str(caught.value).splitlines()[1:] == [
        "  configuration: database.path: must be a path, not `3`",
        "  configuration: [1]: Keys should be strings",
    ]


class Inner(Section):
    color: str = ""


class Outer(Section):
    inner: Inner | None = None
    many: dict[str, tuple[Inner, ...]] = {}  # noqa: RUF012 - pydantic copies it


def test_known_keys_are_found_through_whatever_holds_the_section() -> None:
    assert known_keys(Outer, ["inner"]) == ["color"]
    assert known_keys(Outer, ["many", "x", 0]) == ["color"]
    assert known_keys(Outer, ["inner", "color"]) == known_keys(Outer, ["none"]) == []


def test_a_report_shows_no_secret() -> None:
    lines = faults("llm: {default: {model: m, api_key: [sk-hidden], apikey: sk-hidden2}}\n")

    assert "no key `apikey`; did you mean `api_key`?" in "\n".join(lines)
    assert "sk-hidden" not in "\n".join(lines)
