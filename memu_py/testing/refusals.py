"""Errors in the form of OpenAI's API."""

from memu_py.testing.http import Answer


def failed(status: int, message: str, *, code: str | None = None, **headers: str) -> Answer:
    """Return an error in the form of OpenAI's API.

    Args:
        status: of HTTP.
        message: what is wrong.
        code: such as `insufficient_quota`.
        **headers: by name, `_` for `-`.
    """
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, body={"error": {"message": message, "code": code}}, headers=fields)
