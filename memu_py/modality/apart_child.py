"""The other side of `memu_py.modality.apart`: one reading, then the end of the process."""

import contextlib
import importlib
import io
import json
import os
import sys
from typing import Any

from memu_py.errors import InvalidInput, MemuError
from memu_py.modality.apart import ANSWER

MB = 1024 * 1024
TOO_MUCH = "it takes more memory than `documents.memory_mb` allows"


def main() -> None:
    """Read what standard input holds, as the first argument says, and answer on standard output."""
    task = json.loads(sys.argv[1])
    data = sys.stdin.buffer.read()
    # numpy, which libraries load where it is installed, takes address space for each thread that it might use.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    answer = json.dumps(_answer(task, data), ensure_ascii=True)
    sys.stdout.buffer.write(ANSWER + answer.encode("ascii"))
    sys.stdout.buffer.flush()


def _answer(task: dict[str, Any], data: bytes) -> dict[str, Any]:
    module, _, function = task["reader"].partition(":")
    try:
        read = getattr(importlib.import_module(module), function)
        _limit(task["memory_mb"])
        # Libraries print; the answer is to stand alone.
        with contextlib.redirect_stdout(io.StringIO()):
            return {"value": read(data, **task["options"])}
    except MemuError as error:
        return {"error": type(error).__name__, "message": str(error.args[0]), "hint": error.hint}
    except MemoryError:
        return _refused(TOO_MUCH)
    except RecursionError:
        return _refused("it is nested too deep")
    except Exception as error:
        return _refused(f"{type(error).__name__}: {str(error)[:200]}")


def _refused(reason: str) -> dict[str, Any]:
    return {
        "error": InvalidInput.__name__,
        "message": f"it cannot be read: {reason}",
        "hint": "is it damaged?",
    }


def _limit(memory_mb: int) -> None:
    """Hold the process to so much address space beyond what it has mapped by now, where the system can."""
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ImportError:
        return
    with contextlib.suppress(OSError, ValueError):
        most = _mapped() + memory_mb * MB
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _mapped() -> int:
    with open("/proc/self/statm", encoding="ascii") as pages:  # noqa: PTH123 - no file of a user's
        return int(pages.read().split()[0]) * 4096


if __name__ == "__main__":
    main()
