"""`memu history`, `rollback`, `export`, `import` and `forget`, as people type them."""

import io
import json
import sys
from pathlib import Path

import pytest
from cli_kit import CONFIG, Memu, take


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(CONFIG)
    return tmp_path


def remembered(memu: Memu, *more: str) -> list[str]:
    return sorted(item["text"] for item in json.loads(memu("items", "--json", *more)[1])["records"])


def test_a_memory_goes_back_and_forth(memu: Memu) -> None:
    assert memu("history") == (0, "", "Nothing has happened yet.\n")
    take(memu, "a.txt", "Ann owns a kayak.\n")
    seq = json.loads(memu("history", "--json")[1])["records"][0]["seq"]
    take(memu, "b.txt", "Ben plays the cello.\n")
    heads, newest, *_ = memu("history", "--limit", "2")[1].splitlines()
    assert heads.split("\t") == ["seq", "when", "who", "what", "record", "after"]
    assert int(newest.split("\t")[0]) > seq
    assert "More: --cursor" in memu("history", "-n", "1")[2]

    code, out, err = memu("rollback", "--to", str(seq), "--dry-run")
    assert (code, err) == (0, "")
    assert "goes\titem" in out and "Ben plays the cello." in out
    assert len(remembered(memu)) == 2
    code, out, err = memu("rollback", "--to", str(seq))
    assert remembered(memu) == ["Ann owns a kayak."]
    back = err.removeprefix("Undo this with: memu ").split()
    code, out, _ = memu(*back)
    assert "comes back\titem" in out
    assert remembered(memu) == ["Ann owns a kayak.", "Ben plays the cello."]
    assert memu("rollback", "--to", "2999-01-01")[1] == "It is as it was then.\n"
    assert json.loads(memu("rollback", "--to", "2020-01-01T12:00+02:00", "--json")[1])["to_seq"] == 0
    assert remembered(memu) == []
    code, _, err = memu("rollback", "--to", "yesterday")
    assert (code, "neither a moment nor a number" in err) == (1, True)


def test_what_is_lost_is_told(memu: Memu) -> None:
    take(memu, "a.txt", "Ann owns a kayak.\n")
    seq = json.loads(memu("history", "--json")[1])["records"][0]["seq"]
    from memu_py import SyncMemoryService  # noqa: PLC0415 - the command has no deletion

    with SyncMemoryService.from_config("config.yaml") as service:
        (resource,) = service.list_resources(user="local")
        service.delete_resource(resource.id, user="local")
    code, _, err = memu("rollback", "--to", str(seq))
    assert (code, f"The original {resource.id} was deleted since" in err) == (0, True)


def test_a_memory_is_taken_along(memu: Memu, folder: Path) -> None:
    take(memu, "a.txt", "Ann owns a kayak.\n", "--user", "ann")
    code, out, _ = memu("export", "ann.zip", "--user", "ann")
    assert (code, out.startswith("Exported ")) == (0, True)
    assert memu("export", "ann.zip", "--user", "ann")[0] == 1
    code, out, _ = memu("import", "ann.zip", "--user", "eve")
    assert (code, out.startswith("Imported ")) == (0, True)
    assert remembered(memu, "--user", "eve") == ["Ann owns a kayak."]
    assert memu("import", "ann.zip", "--user", "eve")[1] == "It is there already; nothing was changed.\n"
    assert json.loads(memu("import", "ann.zip", "--user", "eve", "--json")[1])["known"] is True
    assert json.loads(memu("export", "folder", "--user", "ann", "--json")[1])["originals"] == 1
    for blob in (folder / "memu.db.blobs").rglob("*"):
        if blob.is_file():
            blob.unlink()
    code, _, err = memu("export", "again", "--user", "ann")
    assert (code, "is not there any more" in err) == (0, True)
    code, _, err = memu("import", "nothing.zip")
    assert (code, "there is no export at nothing.zip" in err) == (1, True)
    code, _, err = memu("export", "x", "--user", "ann", "--agent", "coach")
    assert (code, "name a user or an agent" in err) == (1, True)


def test_somebody_is_forgotten_when_that_is_meant(memu: Memu, monkeypatch: pytest.MonkeyPatch) -> None:
    take(memu, "a.txt", "Ann owns a kayak.\n", "--user", "ann")
    take(memu, "a.txt", "Ann owns a kayak.\n", "--user", "ben")
    code, _, err = memu("forget")
    assert (code, "say who is to be forgotten" in err) == (1, True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    code, _, err = memu("forget", "--user", "ann")
    assert (code, "Erase all memories of user 'ann', for good?" in err) == (1, True)
    assert remembered(memu, "--user", "ann")
    code, out, _ = memu("forget", "--user", "ann", "--yes")
    assert (code, out.split("\t")[2:4]) == (0, ["cli", "forget"])
    assert "items 1" in out and "ann" not in out
    assert remembered(memu, "--user", "ann") == []
    assert remembered(memu, "--user", "ben")
    assert memu("forget", "--agent", "coach", "-y")[1].endswith("nothing was there\n")
    assert json.loads(memu("forget", "--user", "ben", "-y", "--json")[1])["op"] == "forget"
