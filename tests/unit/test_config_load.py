"""Loading config.yaml: sources, defaults and paths."""

import re
from pathlib import Path

import pytest

from memu_py.config.database import DatabaseSettings
from memu_py.config.load import load_settings
from memu_py.config.packaged import packaged, packaged_names
from memu_py.config.settings import ITEM_TYPES, Settings
from memu_py.errors import ConfigError, MissingKey
from memu_py.marked_yaml import Mark
from memu_py.records.scope import Scope

ROOT = Path(__file__).parents[2]
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))

ISSUE = """\
llm:
  default:
    provider: "openai"
    model: "gpt-4o"
    api_key: "${OPENAI_API_KEY}"
database:
  backend: "sqlite"
  path: "./memu.db"
embedding:
  backend: "openai"
  model: "text-embedding-3-small"
workflows:
  memorize:
    steps:
      - extract_entities
      - classify_items
      - update_categories
"""


def plain(settings: Settings) -> dict[str, object]:
    return settings.model_dump()


def test_the_printed_configuration_loads_without_a_key() -> None:
    settings = load_settings(ISSUE, env={})

    assert settings.database.backend == "sqlite"
    assert settings.embedding.model == "text-embedding-3-small"
    assert settings.workflows["memorize"].steps == ("extract_entities", "classify_items", "update_categories")
    key = settings.llm["default"].api_key
    assert key is not None
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        key.reveal("llm.default.api_key")


def test_the_printed_configuration_takes_its_key_from_the_environment() -> None:
    key = load_settings(ISSUE, env={"OPENAI_API_KEY": "sk-1"}).llm["default"].api_key

    assert key is not None
    assert key.reveal() == "sk-1"


def test_the_environment_of_the_process_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMU_TEST_MODEL", "from-the-process")

    assert load_settings("embedding: {model: '${MEMU_TEST_MODEL}'}").embedding.model == "from-the-process"


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_every_ready_configuration_loads_without_an_environment(path: Path) -> None:
    assert load_settings(path, env={}).file == str(path)
    assert packaged(path.name) == path.read_text(encoding="utf-8")


def test_there_is_a_ready_configuration_for_each_way_to_run() -> None:
    names = {path.stem for path in CONFIGS}

    assert {"default", "memory", "sqlite", "openai", "deepseek", "ollama", "onnx"} <= names


def test_the_packaged_defaults_are_the_models_defaults() -> None:
    assert plain(load_settings(None, env={})) == plain(load_settings({}, env={})) == plain(Settings())


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}", "database:\n", "llm:\n"])
def test_what_is_left_empty_has_its_defaults(text: str) -> None:
    assert plain(load_settings(text, env={})) == plain(Settings())


def test_null_is_kept_where_it_means_something() -> None:
    settings = load_settings({"index": {"snapshot_from": None, "memory_mb": None}}, env={})
    assert settings.index.snapshot_from is None
    assert settings.index.memory_mb == Settings().index.memory_mb
    assert Settings().index.snapshot_from is not None


def test_the_default_categories_have_both_languages() -> None:
    categories = load_settings({}, env={}).categories.defaults

    assert [category.name for category in categories] == [
        "personal info",
        "preferences",
        "relationships",
        "work",
        "health",
        "plans",
        "places",
        "habits",
        "knowledge",
        "experiences",
    ]
    assert all(category.names["zh"] for category in categories)
    assert all(re.search("[a-z] .*[一-鿿]", category.description) for category in categories)


def test_categories_of_ones_own_take_the_place_of_the_defaults() -> None:
    settings = load_settings({"categories": {"defaults": [{"name": "Bikes"}]}})

    assert [category.name for category in settings.categories.defaults] == ["Bikes"]
    assert load_settings({"categories": {"defaults": []}}).categories.defaults == ()


def test_defaults_are_what_the_design_says() -> None:
    settings = Settings()

    assert settings.item_types == ITEM_TYPES
    assert (settings.retrieve.top_k, settings.retrieve.max_tokens) == (10, 600)
    assert settings.retrieve.min_score > 0
    assert settings.index.memory_mb == 512
    assert settings.categories.min_cluster == 3
    assert settings.timezone == "UTC"
    assert settings.embedding.backend == "bundled"
    assert settings.database.path == Path.cwd() / "memu.db"
    assert settings.blobs.allowed_roots == (Path.cwd(),)


def test_every_key_says_what_it_is() -> None:
    sections: list[type] = [Settings]
    while sections:
        section = sections.pop()
        for name, field in getattr(section, "model_fields").items():  # noqa: B009 - mypy knows no fields of `type`
            assert field.description, f"{section.__name__}.{name}"
            if hasattr(field.annotation, "model_fields"):
                sections.append(field.annotation)


def test_ready_settings_come_back_as_they_are() -> None:
    settings = Settings()

    assert load_settings(settings) is settings


def test_a_mapping_may_hold_paths_tuples_and_ready_sections(tmp_path: Path) -> None:
    settings = load_settings(
        {
            "database": DatabaseSettings(backend="memory"),
            "blobs": {"root": tmp_path, "allowed_roots": (tmp_path,)},
            "embedding": {"model": "${M}"},
        },
        env={"M": "m"},
    )

    assert settings.database.backend == "memory"
    assert settings.blobs.allowed_roots == (tmp_path,)
    assert settings.embedding.model == "m"


def test_relative_paths_in_a_file_count_from_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "config.yaml"
    file.parent.mkdir()
    file.write_text(
        "database: {path: ./data/memu.db}\nblobs: {allowed_roots: [., ../inbox, /tmp]}\n"
        "embedding: {backend: onnx, path: model}\nworkflows: {memorize: {file: own.yaml}}\n"
    )

    settings = load_settings(file)

    assert settings.database.path == tmp_path / "deep" / "data" / "memu.db"
    assert settings.blobs.allowed_roots == (
        tmp_path / "deep",
        tmp_path / "deep" / ".." / "inbox",
        Path("/tmp"),
    )
    assert settings.embedding.path == tmp_path / "deep" / "model"
    assert settings.workflows["memorize"].file == tmp_path / "deep" / "own.yaml"


def test_the_default_database_of_a_file_lies_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("retrieve: {top_k: 5}\n")

    settings = load_settings(str(file))

    assert settings.database.path == tmp_path / "memu.db"
    assert settings.blobs_root() == tmp_path / "memu.db.blobs"
    assert settings.blobs.allowed_roots == (Path.cwd(),)


def test_relative_paths_without_a_file_count_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert load_settings({"database": {"path": "x.db"}}).database.path == tmp_path / "x.db"
    assert load_settings("database: {path: x.db}\n").database.path == tmp_path / "x.db"


def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "config.yaml").write_text("database: {path: ~/own.db}\n")

    assert load_settings("~/config.yaml").database.path == tmp_path / "own.db"


def test_the_originals_lie_in_memory_when_the_database_does(tmp_path: Path) -> None:
    assert load_settings({"database": {"backend": "memory"}}).blobs_root() is None
    assert load_settings({"database": {"path": ":memory:"}}).database.backend == "memory"
    kept = load_settings({"database": {"backend": "memory"}, "blobs": {"root": str(tmp_path)}})
    assert kept.blobs_root() == tmp_path


def test_a_file_is_named_in_its_faults(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("a: b: c\n")

    with pytest.raises(ConfigError) as caught:
        load_settings(file)

    assert str(caught.value).startswith(f"{file}:1:5: ")


@pytest.mark.parametrize(
    ("content", "message"), [(None, "there is no config file"), (b"\xff\xfe\x00", "is not UTF-8 (byte 0)")]
)
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, content: bytes | None, message: str) -> None:
    file = tmp_path / "config.yaml"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(ConfigError) as caught:
        load_settings(file)

    assert message in str(caught.value)


def test_a_folder_is_no_config_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_settings(tmp_path)


def test_settings_know_the_lines_of_their_file() -> None:
    settings = load_settings(ISSUE, env={})

    assert settings.mark(("workflows", "memorize", "steps", 1)) == Mark(
        file="configuration", line=16, column=9
    )
    changed = settings.model_copy(update={"timezone": "Asia/Shanghai"})
    assert changed.mark(("database", "path")).line == 8
    assert Settings().mark(("database",)).line == 0


def test_settings_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().timezone = "Asia/Shanghai"


def test_the_default_scope() -> None:
    assert Settings().scope.default_scope() is None
    named = load_settings({"scope": {"default": {"user": 12, "agent": "a"}, "keys": ["team"]}}).scope
    assert named.default_scope() == Scope(user="12", agent="a")
    assert named.keys == ("team",)


def test_the_zone_of_a_user() -> None:
    settings = load_settings({"timezone": "Europe/Berlin", "timezones": {"mei": "Asia/Shanghai"}})

    assert settings.timezone_of("mei") == "Asia/Shanghai"
    assert settings.timezone_of("ann") == settings.timezone_of(None) == "Europe/Berlin"


def test_an_unknown_packaged_file_names_the_nearest() -> None:
    assert "default.yaml" in packaged_names()

    with pytest.raises(ConfigError, match=r"no packaged file `defualt.yaml`; did you mean `default.yaml`\?"):
        packaged("defualt.yaml")
