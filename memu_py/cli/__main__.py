"""Runs the command line as `python -m memu_py.cli`."""

from memu_py.cli.app import main

main()
