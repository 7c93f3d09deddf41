# Five verbs: fmt lint types test bench. `make demo` runs the main job. Each sets up what it needs first.
# A fresh clone needs Python 3.11 or newer, cargo, and a C linker; everything else goes into .venv.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

UV_VERSION := 0.13.9
NEEDS_PYTHON := import sys; sys.exit(sys.version_info < (3, 11))

NEEDS_RUST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

# The first interpreter that is new enough; `make PYTHON=/path/to/python` names another.
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	if $$name -c '$(NEEDS_PYTHON)' >/dev/null 2>&1; then echo $$name; break; fi; done)

VENV := .venv
BIN := $(VENV)/bin
EXTENSION := memu_py/_core.abi3.so
RUST_SOURCES := Cargo.toml Cargo.lock $(shell find rust_core -type f -not -path '*/target/*')
PYTHON_PATHS := memu_py tests benchmarks examples .ci

# All but `whisper`, which brings torch.
EXTRAS := --all-extras --no-extra whisper

# Workers for pytest; `make test JOBS=0` runs in one process.
JOBS ?= auto
# Conversations for `make bench`.
DATA ?=
# What to memorize in `make demo`; the shipped conversation when empty.
INPUT ?=

# An environment of our own, whatever the caller has active.
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
unexport CONDA_PREFIX PYTHONHOME PYTHONPATH
# Tests start hundreds of processes: each would compile all that it imports again, which takes longer than what it does.
unexport PYTHONDONTWRITEBYTECODE
export UV_PROJECT_ENVIRONMENT := $(VIRTUAL_ENV)
export UV_LINK_MODE ?= copy
export UV_PYTHON_DOWNLOADS := never
export PYO3_PYTHON := $(VIRTUAL_ENV)/bin/python

# The kernels without their bindings: tests and benches then need no Python library to link with.
KERNELS := --quiet --locked --workspace --no-default-features

.PHONY: help setup demo fmt lint types test cover test-python test-rust test-llm test-media bench build clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | awk -F'|' '{printf "  make %-12s %s\n", $$1, $$2}'

setup: $(EXTENSION) ## make .venv with locked dependencies and the Rust extension

demo: setup ## memorize a conversation and ask it five questions (INPUT=path for your own)
	@$(BIN)/python examples/demo.py $(if $(INPUT),"$(INPUT)")

fmt: $(VENV)/.synced ## format Python and Rust, and mend what can be mended
	$(BIN)/ruff check --fix --quiet $(PYTHON_PATHS)
	$(BIN)/ruff format --quiet $(PYTHON_PATHS)
	cargo fmt --all

lint: setup ## check style, floors and lids
	$(BIN)/ruff check --quiet $(PYTHON_PATHS)
	$(BIN)/ruff format --check --quiet $(PYTHON_PATHS)
	cargo fmt --all --check
	cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/python -m pytest --quiet --no-header -p no:randomly tests/unit/test_house_lids.py

types: setup ## mypy strict on source and tests, and the stub of the Rust extension against the built one
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest memu_py._core

test: test-rust test-python ## all tests

test-rust: $(VENV)/.created
	cargo test $(KERNELS)

test-python: setup
	$(BIN)/python -m pytest --quiet --no-header -n $(JOBS)

# Counting takes half as long again as the tests do.
cover: setup ## the Python tests once more, with what they cover
	rm -f .coverage .coverage.*
	$(BIN)/python -m pytest --quiet --no-header -n $(JOBS) --cov --cov-report=term:skip-covered
	$(BIN)/python .ci/branch_coverage.py

# What MEMU_TEST_LLM names needs nothing here; without it a tiny model and its server come from the lock.
test-llm: setup ## tests with a real chat model, a tiny one or MEMU_TEST_LLM=base_url,model
	$(if $(MEMU_TEST_LLM),,$(BIN)/uv sync --quiet --frozen --inexact --no-install-project $(EXTRAS) --group local-llm)
	$(BIN)/python -m pytest --quiet --no-header -m local_llm --durations=5 tests/integration

test-media: setup ## tests with a real speech model; they need espeak-ng, and a Chinese font for one
	$(BIN)/uv sync --quiet --frozen --inexact --no-install-project $(EXTRAS) --group speech
	$(BIN)/python -m pytest --quiet --no-header -m media --durations=5 tests/integration

bench: setup ## Rust and Python benchmarks (DATA=folder of conversations for the quality of retrieval)
	cargo bench $(KERNELS)
	$(BIN)/python -m pytest --quiet --no-header -p no:randomly benchmarks/border.py --benchmark-columns=min,median,ops
	$(BIN)/python benchmarks/foundation.py $(BENCH_ARGS)
	$(if $(DATA),$(BIN)/python benchmarks/locomo.py --data "$(DATA)")

build: setup ## a wheel in dist/
	rm -rf dist
	$(BIN)/maturin build --quiet --release --locked --strip --out dist
	@ls dist/*.whl

clean: ## remove what the other targets made
	rm -rf $(VENV) target dist build .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -f memu_py/_core*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Setting up, in three stages; each runs again only when what it reads has changed.

$(VENV)/.created:
	@if [ -z "$(PYTHON)" ]; then \
		echo "memu_py needs Python 3.11 or newer; python3 here is: $$(python3 --version 2>&1 || true)." >&2; \
		echo "Install one, or name it: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; exit 1; fi
	@$(PYTHON) -c '$(NEEDS_PYTHON)' || { \
		echo "memu_py needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)." >&2; exit 1; }
	@command -v cargo >/dev/null || { \
		echo "memu_py needs cargo to build its Rust extension: install Rust $(NEEDS_RUST) or newer." >&2; exit 1; }
	@have=$$(cargo --version | cut -d' ' -f2); \
		[ "$$(printf '%s\n' $(NEEDS_RUST) $$have | sort -V | head -n1)" = "$(NEEDS_RUST)" ] || { \
		echo "memu_py needs Rust $(NEEDS_RUST) or newer; cargo here is $$have." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
		echo "Python's venv module is missing; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

$(VENV)/.synced: $(VENV)/.created uv.lock pyproject.toml
	$(BIN)/uv sync --quiet --frozen --inexact --no-install-project $(EXTRAS)
	@touch $@

$(EXTENSION): $(VENV)/.synced $(RUST_SOURCES)
	$(BIN)/maturin develop --quiet --uv --release --locked
	@touch $@
