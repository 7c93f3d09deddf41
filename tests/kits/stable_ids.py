"""Names of tests that are the same in every process: made bytes, such as a zip, may hold the time."""

SHORT = 12
"""Bytes up to which a value names its test."""


def pytest_make_parametrize_id(config: object, val: object, argname: str) -> str | None:
    """Name a test after its argument where the value is long bytes; pytest numbers equal names."""
    return argname if isinstance(val, bytes) and len(val) > SHORT else None
