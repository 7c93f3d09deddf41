"""`memu memorize --no-wait`, `memu jobs` and `memu worker`."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_kit import CONFIG, Memu

HERE = Path(__file__).parent
CHAT = json.dumps([{"role": "user", "content": text} for text in ("Ann likes tea.", "Hello!")])


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEMU_CONFIG", raising=False)
    Path("config.yaml").write_text(CONFIG + "jobs: {poll_s: 0.05, backoff_s: 0, max_attempts: 1}\n")
    Path("chat.json").write_text(CHAT)
    return tmp_path


def data(memu: Memu, *arguments: str) -> Any:
    code, out, err = memu(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def written_down(memu: Memu, name: str = "chat.json") -> str:
    (row,) = data(memu, "memorize", name, "--no-wait")
    assert (row["path"], row["job"]["status"]) == (name, "queued")
    return str(row["job"]["id"])


def test_what_is_written_down_is_done_by_a_worker(memu: Memu) -> None:
    code, out, err = memu("memorize", "chat.json", "--no-wait")
    assert code == 0
    assert "memu worker" in err
    job_id = out.splitlines()[1].split("\t")[1]
    assert data(memu, "jobs", "list")["records"][0]["status"] == "queued"
    assert memu("items")[2].startswith("Nothing here yet")
    code, _, err = memu("worker", "--once", "--concurrency", "2")
    assert (code, "1 jobs ended" in err) == (0, True)
    assert "Ann likes tea." in memu("items")[1]
    shown = data(memu, "jobs", "show", job_id)
    assert (shown["status"], shown["result"]["added"]) == ("done", 1)
    assert shown.keys().isdisjoint({"payload", "content", "lease_id"})
    lines = dict(line.split("\t") for line in memu("jobs", "show", job_id)[1].splitlines())
    assert lines["message 1"] == "skipped no content: greeting"
    assert lines["result"] == "1 added, 1 skipped"
    assert f"{job_id}\tmemorize\tdone\t1/1" in memu("jobs", "list", "--status", "done")[1]
    assert "no jobs" in memu("jobs", "list", "--status", "failed")[2].lower()
    again = written_down(memu)
    memu("worker", "--once")
    assert "nothing new" in memu("jobs", "show", again)[1]


def test_a_failed_job_shows_its_error_and_is_tried_again(memu: Memu) -> None:
    job_id = written_down(memu)
    settings = "workflows: {memorize: {steps: [{use: hold, with: {gate: missing}}, extract_entities]}}\n"
    good = Path("config.yaml").read_text()
    Path("config.yaml").write_text(good.replace("[service_kit]", "[service_kit, jobs_kit]") + settings)
    assert memu("worker", "--once")[0] == 0
    assert "StepError: step `hold` failed: KeyError: 'missing'" in memu("jobs", "list")[1]
    code, out, _ = memu("jobs", "retry", job_id)
    assert (code, "queued" in out) == (0, True)
    Path("config.yaml").write_text(good)
    memu("worker", "--once")
    assert data(memu, "jobs", "show", job_id)["status"] == "done"
    code, out, err = memu("jobs", "retry", job_id)
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")
    assert "it is done" in err


def test_a_cancelled_job_is_not_done(memu: Memu) -> None:
    job_id = written_down(memu)
    assert data(memu, "jobs", "cancel", job_id)["status"] == "cancelled"
    assert "0 jobs ended" in memu("worker", "--once")[2]
    assert memu("items")[2].startswith("Nothing here yet")
    for command in ("show", "cancel", "retry"):
        code, out, err = memu("jobs", command, job_id, "--user", "bob")
        assert (code, out) == (1, "")
        assert "no job" in err


def test_pages_of_jobs_go_on(memu: Memu) -> None:
    for name in ("a.txt", "b.txt"):
        Path(name).write_text(f"Ann likes {name}.")
        written_down(memu, name)
    first = data(memu, "jobs", "list", "--limit", "1")
    assert f"More: --cursor {first['next_cursor']}" in memu("jobs", "list", "-n", "1")[2]
    rest = data(memu, "jobs", "list", "--limit", "1", "--cursor", first["next_cursor"])
    assert first["records"][0]["id"] > rest["records"][0]["id"]


def test_several_files_of_which_one_is_wrong(memu: Memu) -> None:
    Path("empty.txt").write_text("")
    code, out, err = memu("memorize", "chat.json", "empty.txt", "--no-wait")
    assert code == 1
    assert "chat.json" in out
    assert "empty.txt\t\t\t\t\t\tfailed" in out
    assert "it is empty" in err
    assert len(data(memu, "jobs", "list")["records"]) == 1


def test_a_database_in_memory_keeps_no_jobs(memu: Memu) -> None:
    Path("config.yaml").write_text(CONFIG + "database: {backend: memory}\n")
    for arguments in (("memorize", "chat.json", "--no-wait"), ("worker", "--once"), ("jobs", "retry", "x")):
        code, _, err = memu(*arguments)
        assert code == 1
        assert "in memory" in err


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_a_worker_stops_cleanly_when_it_is_told_to(told: signal.Signals, memu: Memu) -> None:
    job_id = written_down(memu)
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-m", "memu_py.cli", "worker"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as worker:
        try:
            assert worker.stderr is not None
            assert worker.stderr.readline().startswith("Working")
            while data(memu, "jobs", "show", job_id)["status"] != "done":
                assert worker.poll() is None
            worker.send_signal(told)
            rest = worker.stderr.read()
        finally:
            worker.kill()
    assert worker.returncode == 0, rest
    assert rest.startswith("Stopping")
    assert "Traceback" not in rest
