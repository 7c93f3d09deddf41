"""`memu doctor` and what it sends people to."""

import http.server
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_kit import CONFIG, Memu, take

from memu_py.testing.chat_answers import chat
from memu_py.testing.refusals import failed


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("MEMU_CONFIG", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "config.yaml").write_text(CONFIG)
    return tmp_path


class Models(http.server.BaseHTTPRequestHandler):
    """A model server that says a word to whoever has the key."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        known = self.headers["Authorization"] == "Bearer right" and self.path == "/v1/chat/completions"
        answer = chat("ok") if known and asked["model"] == "m" else failed(401, "no")
        body = json.dumps(answer.body).encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture
def models() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Models) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


def test_doctor_tells_which_models_answer_and_which_lack_a_key(memu: Memu, folder: Path, models: str) -> None:
    (folder / "config.yaml").write_text(
        CONFIG
        + "llm:\n"
        + f"  default: {{provider: ollama, model: m, base_url: '{models}', api_key: right}}\n"
        + f"  wrong: {{provider: ollama, model: m, base_url: '{models}', api_key: wrong}}\n"
        + "  hosted: {provider: openai, model: gpt-4o}\n"
        + "  unknown: {provider: nobody, model: m}\n"
    )
    code, out, _ = memu("doctor", "--json")
    found = {one["what"]: (one["state"], one["detail"]) for one in json.loads(out)}
    assert found["model default"] == ("ok", "ollama/m answers")
    assert found["model wrong"][0] == "wrong"
    assert found["model hosted"][0] == "missing"
    assert "OPENAI_API_KEY" in found["model hosted"][1]
    assert found["model unknown"][0] == "wrong"
    assert code == 1


def test_doctor_finds_a_damaged_store_and_what_nobody_uses(memu: Memu, folder: Path) -> None:
    take(memu, "a.txt", "Ann likes tea.")
    unused = folder / "memu.db.blobs" / ("0" * 32) / "ab" / ("ab" + "0" * 62)
    unused.parent.mkdir(parents=True)
    unused.write_bytes(b"nobody's")
    os.utime(unused, (0, 0))
    assert "1 unused originals removed" in memu("doctor")[1]
    assert not unused.exists()
    (original,) = [path for path in (folder / "memu.db.blobs").glob("*/*/*") if path.is_file()]
    original.unlink()
    code, out, _ = memu("doctor")
    assert code == 1
    assert "wrong\tdatabase\t1 faults, the first: resource original" in out


def test_doctor_tells_of_a_workflow_that_cannot_run(memu: Memu, folder: Path) -> None:
    (folder / "config.yaml").write_text(CONFIG + "workflows: {memorize: {steps: [extract]}}\n")
    code, out, _ = memu("doctor")
    assert code == 1
    assert "wrong\tconfiguration" in out
    (folder / "config.yaml").write_text(CONFIG + "database: {backend: memory}\n")
    assert "memory: 0 items" in memu("doctor")[1]


def test_a_database_of_another_embedder_is_told_and_mended_by_reindex(memu: Memu, folder: Path) -> None:
    take(memu, "a.txt", "Ann owns a kayak.")
    (folder / "config.yaml").write_text("{}")
    code, _, err = memu("items")
    assert code == 1
    assert "Hint:" in err
    assert "memu reindex" in err
    assert memu("reindex")[1] == "Reindexed 1 items.\n"
    assert "kayak" in memu("retrieve", "kayak")[1]


@pytest.mark.parametrize(
    ("backend", "listed", "state", "detail"),
    [
        ("overlap", True, "ok", "overlap"),
        ("overlap", False, "ok", "overlap; no workflow names the step `rerank`"),
        ("broken, model: away", True, "wrong", "the model is away"),
        ("broken, model: nan", True, "wrong", "the reranker gave a score that is not from 0 to 1"),
    ],
)
def test_doctor_lets_a_configured_reranker_read_something(
    memu: Memu, folder: Path, backend: str, listed: bool, state: str, detail: str
) -> None:
    steps = "[rerank, recall_categories, recall_resources, expand_context]"
    flow = f"workflows: {{retrieve_rag: {{steps: {steps}}}}}\n" if listed else ""
    (folder / "config.yaml").write_text(f"{CONFIG}reranker: {{backend: {backend}}}\n{flow}")

    code, out, _ = memu("doctor", "--json")

    found = {one["what"]: (one["state"], one["detail"]) for one in json.loads(out)}
    assert found["reranker"] == (state, detail)
    assert code == (1 if state == "wrong" else 0)


def test_doctor_says_nothing_of_a_reranker_that_nobody_wants(memu: Memu) -> None:
    _, out, _ = memu("doctor", "--json")

    assert "reranker" not in {one["what"] for one in json.loads(out)}
