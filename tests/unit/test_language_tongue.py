"""Languages, zones and numbers."""

from datetime import UTC

import pytest

from memu_py.errors import InvalidInput
from memu_py.language.numbers import chinese_number, english_number
from memu_py.language.tongue import language_of
from memu_py.language.zones import zone


@pytest.mark.parametrize(
    ("text", "tongue"),
    [
        ("I like tea", "en"),
        ("Ich mag Tee über alles", "en"),
        ("我喜欢喝茶", "zh"),
        ("我喜欢用GitHub", "zh"),
        ("我用 GitHub Actions 和 Docker 部署 Kubernetes", "en"),
        ("お茶が好きです", "ja"),
        ("東京都在住です", "ja"),
        ("コーヒー", "ja"),
        ("차를 좋아해요", "ko"),
        ("Привет, как дела", "other"),
        ("12345 !? 😊", "other"),
        ("", "other"),
    ],
)
def test_the_language_is_told_by_its_script(text: str, tongue: str) -> None:
    assert language_of(text) == tongue


@pytest.mark.parametrize(
    ("name", "found"),
    [("Asia/Shanghai", "Asia/Shanghai"), (" europe/BERLIN ", "Europe/Berlin"), ("UTC", "UTC"), ("z", "UTC")],
)
def test_a_zone_is_found_by_its_name(name: str, found: str) -> None:
    assert str(zone(name)) == found


def test_utc_is_the_plain_one() -> None:
    assert zone("utc") is UTC


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Asia/Shangai", "Asia/Shanghai"),
        ("Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("+08:00", "IANA"),
        ("", "IANA"),
        ("../etc/passwd", "IANA"),
    ],
)
def test_an_unknown_zone_is_refused_with_advice(name: str, hint: str) -> None:
    with pytest.raises(InvalidInput, match="no time zone") as raised:
        zone(name)

    assert hint in str(raised.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("Seven", 7),
        ("nineteen", 19),
        ("ninety", 90),
        ("twenty-one", 21),
        ("thirty five", 35),
        ("tea", None),
    ],
)
def test_english_numbers(text: str, value: int | None) -> None:
    assert english_number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("七", 7),
        ("两", 2),
        ("十", 10),
        ("十二", 12),
        ("三十五", 35),
        ("一百零五", 105),
        ("二千零二十三", 2023),
        ("二〇二三", 2023),
        ("廿五", 25),
        ("茶", None),
        ("", None),
    ],
)
def test_chinese_numbers(text: str, value: int | None) -> None:
    assert chinese_number(text) == value
