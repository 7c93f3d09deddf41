"""The `memu` command."""

from memu_py.cli.app import main

__all__ = ["main"]
