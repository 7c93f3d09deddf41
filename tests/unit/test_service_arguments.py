"""What a call takes, and what it says of anything else."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memu_py.errors import InvalidInput
from memu_py.service.arguments import checks_arguments, utc

NAIVE = datetime(2020, 1, 1, tzinfo=UTC).replace(tzinfo=None)
EAST = timezone(timedelta(hours=8))


@checks_arguments
class Calls:
    async def take(
        self,
        text: str = "",
        *,
        number: int | None = None,
        share: float = 1.0,
        at: datetime | None = None,
        day: date | None = None,
        names: str | Sequence[str] | None = None,
        turns: Sequence[Mapping[str, Any]] = (),
        path: Path | str = "",
        other: Any = None,
        **keys: str,
    ) -> str:
        """Take it."""
        return text


@pytest.mark.parametrize(
    "given",
    [
        {"text": "x", "number": np.int64(5), "share": np.float32(0.5), "names": ("a",), "path": Path("x")},
        {"number": None, "share": 1, "names": "a", "turns": [{"a": 1}, "b"], "other": object()},
        {"at": datetime(2024, 1, 1, tzinfo=UTC), "day": date.max, "names": {"a", "b"}, "user": "ann"},
    ],
)
async def test_what_fits_is_taken(given: dict[str, Any]) -> None:
    assert await Calls().take(**given) == given.get("text", "")
    assert Calls.take.__doc__ == "Take it."


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": 5}, "`text` is text, not 5"),
        ({"text": None}, "`text` is text, not None"),
        ({"number": "5"}, "`number` is a whole number, not '5'"),
        ({"number": True}, "`number` is a whole number, not True"),
        ({"number": 1.5}, "`number` is a whole number"),
        ({"share": "x"}, "`share` is a number"),
        ({"at": "2020"}, "`at` is a moment such as datetime.now"),
        ({"at": date.max}, "`at` is a moment"),
        ({"at": NAIVE}, "`at` needs a time zone"),
        ({"at": datetime(1, 1, 1, tzinfo=EAST)}, "`at` is outside the years 1 to 9999 in UTC"),
        ({"day": "2020-01-01"}, "`day` is a day such as date"),
        ({"day": datetime(2020, 1, 1, tzinfo=UTC)}, "`day` is a day such as date"),
        ({"names": 5}, "`names` is text or a list of texts, not 5"),
        ({"names": ["a", 5]}, "`names` is text or a list of texts"),
        ({"turns": "x"}, "`turns` is a list"),
        ({"path": 5}, "`path` is a path or text"),
    ],
)
async def test_what_does_not_is_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        await Calls().take(**given)


def test_a_moment_is_told_in_utc() -> None:
    assert utc("at", datetime(2024, 1, 1, 8, tzinfo=EAST)) == datetime(2024, 1, 1, tzinfo=UTC)
