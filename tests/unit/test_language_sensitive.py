import itertools

import pytest

from memu_py.language.judgements import inferred
from memu_py.language.sensitive import find_sensitive, masked
from memu_py.language.sensitive_keys import entropy, looks_secret
from memu_py.records.sensitive import KINDS


def found(text: str, *kinds: str) -> list[tuple[str, str]]:
    wanted = [kind for kind in KINDS if not kinds or kind in kinds]
    return [
        (one.kind, text[one.start : one.end])
        for one in find_sensitive(text, wanted, regions=("CN", "US", "GB"))
    ]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("我的手机号是13812345678，请打给我", "phone", "13812345678"),
        ("电话：138-1234-5678", "phone", "138-1234-5678"),
        ("座机 010-62345678", "phone", "010-62345678"),
        ("call me at (415) 555-2671 tomorrow", "phone", "(415) 555-2671"),
        ("reach me on +44 20 7946 0958", "phone", "+44 20 7946 0958"),
        ("身份证号：11010519491231002x。", "id_card", "11010519491231002x"),
        ("my SSN is 123-45-6789", "id_card", "123-45-6789"),
        ("card 4111 1111 1111 1111, please", "bank_card", "4111 1111 1111 1111"),
        ("卡号6222021234567890128", "bank_card", "6222021234567890128"),
        ("Write to ann.smith+x@mail.example.co.uk", "email", "ann.smith+x@mail.example.co.uk"),
        ("邮箱是ann@example.com。", "email", "ann@example.com"),
        (
            "我住在北京市朝阳区建国路88号3号楼1202室，很近",
            "address",
            "北京市朝阳区建国路88号3号楼1202室",
        ),
        ("她搬到了深圳市南山区科技园南路3号", "address", "深圳市南山区科技园南路3号"),
        ("I live at 221B Baker Street, London NW1 6XE now.", "address", "221B Baker Street, London NW1 6XE"),
        ("742 Evergreen Terrace, Apt 4B", "address", "742 Evergreen Terrace, Apt 4B"),
        ("send it to P.O. Box 1234", "address", "P.O. Box 1234"),
        ("OPENAI_API_KEY=sk-abcdefghijklmnopqrstuvwx1234", "key", "sk-abcdefghijklmnopqrstuvwx1234"),
        ("AKIAIOSFODNN7EXAMPLE is it", "key", "AKIAIOSFODNN7EXAMPLE"),
        ("the password is hunter2.", "key", "hunter2"),
        ("密码是abc123，别忘了", "key", "abc123"),
        ("WiFi密码：88888888", "key", "88888888"),
        ("api_key = 'abcd1234efgh'", "key", "abcd1234efgh"),
        ("postgres://me:s3cret@host/db", "key", "s3cret"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----",
            "key",
            "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----",
        ),
    ],
)
def test_each_kind_is_found_and_nothing_else(text: str, kind: str, value: str) -> None:
    assert found(text) == [(kind, value)]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("card no.4111 1111 1111 1111", "bank_card", "4111 1111 1111 1111"),
        ("身份证No.11010519491231002X", "id_card", "11010519491231002X"),
        ("SSN no.078-05-1120.", "id_card", "078-05-1120"),
        ("tel.+44 20 7946 0958", "phone", "+44 20 7946 0958"),
        ("卡号４１１１１１１１１１１１１１１１。", "bank_card", "４１１１１１１１１１１１１１１１"),
        ("身份证 １１０１０５１９４９１２３１００２Ｘ", "id_card", "１１０１０５１９４９１２３１００２Ｘ"),
        ("我的手机是１３８００１３８０００", "phone", "１３８００１３８０００"),
        ("ann＠example．com", "email", "ann＠example．com"),
        ("110105 19491231 002X", "id_card", "110105 19491231 002X"),
        ("1101 0519 4912 3100 2x", "id_card", "1101 0519 4912 3100 2x"),
        ("110105\n19491231\n002X", "id_card", "110105\n19491231\n002X"),
        ("4111.1111.1111.1111", "bank_card", "4111.1111.1111.1111"),
        ("4111  1111  1111  1111", "bank_card", "4111  1111  1111  1111"),
        ("4111\r\n1111\r\n1111\r\n1111", "bank_card", "4111\r\n1111\r\n1111\r\n1111"),
        ("4111\u00a01111\u00a01111\u00a01111", "bank_card", "4111\u00a01111\u00a01111\u00a01111"),
        ("4111 1111 1111 1111 123", "bank_card", "4111 1111 1111 1111"),
        ("2 4111 1111 1111 1111 12/27", "bank_card", "4111 1111 1111 1111"),
        ("3782  822463  10005", "bank_card", "3782  822463  10005"),
        ("6222 0212 3456 7890 128", "bank_card", "6222 0212 3456 7890 128"),
        ("622202  1234567890128", "bank_card", "622202  1234567890128"),
        ("住在上海市浦东新区张杨路 500 号。", "address", "上海市浦东新区张杨路 500 号"),
        ("住在北京市建国路 88 号 3 号楼 1202 室", "address", "北京市建国路 88 号 3 号楼 1202 室"),
        ("家住杭州市西湖区文三路１２３号", "address", "杭州市西湖区文三路１２３号"),
    ],
)
def test_full_width_and_spaced_and_numbered_data_are_found(text: str, kind: str, value: str) -> None:
    assert found(text) == [(kind, value)]


def test_the_mask_of_full_width_data_is_that_of_the_same_in_ascii() -> None:
    assert masked("phone", "１３８００１３８０１２", chinese=False) == "[phone ••12]"
    assert masked("id_card", "１１０１０５１９４９１２３１００２ｘ", chinese=False) == "[id card ••2X]"
    assert masked("email", "ａnn＠example.com", chinese=False) == "[email a••]"


@pytest.mark.parametrize(
    "text",
    [
        "Order 1234567890 came on 2023-05-17 at 18:30, 12345678 pieces.",
        "In 2019 2020 2021 I ran 10 000 000 m; version 10.2.33.4512, IP 192.168.100.200.",
        "Card 4111 1111 1111 1112 has a wrong digit, 110105194912310021 too.",
        "Forgot password: click here. The token is expired. A secret 2024 plan; I bought a pin 2023.",
        "The password reset page is at example.com, and bob@localhost is no address.",
        "4 Wheel Drive is great. The house on Elm Street is big. I moved to Paris.",
        "我在三里屯住了5年，坐10号线上班，他在路口等我3号见。密码很重要。",
        "uuid 01972f00-1111-7222-8333-444455556666, 1.7.2023 - 3.8.2023",
        "The ratio is 0.4111111111111111, or .4111111111111111; 453201.1234567897 m.",
        "From 22-05-2024 23-05-2024 to 26-05-2024 28-05-2024, 2024.01.15 2024.01.16.",
        "[phone ••34] [密钥] password: [key] 密码是[密钥]",
    ],
)
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    assert found(text) == []


def test_kinds_that_are_not_asked_for_are_not_found() -> None:
    text = "ann@example.com or 13812345678"
    assert found(text, "phone") == [("phone", "13812345678")]
    assert find_sensitive(text, []) == []


def test_a_long_table_of_numbers_is_looked_at_cell_by_cell() -> None:
    row = " ".join(["1234567", "+8613812345678", *["20240101"] * 10])
    assert found(row) == [("phone", "+8613812345678")]


def test_findings_do_not_overlap_and_come_in_order() -> None:
    text = "a@b.co 13812345678 a@c.co +8613912345678 11010519491231002X"
    spans = [(one.start, one.end) for one in find_sensitive(text, list(KINDS), regions=("CN", "US", "CN"))]
    assert spans == sorted(spans)
    assert len(spans) == 5
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))


def test_a_secret_looks_like_one() -> None:
    assert looks_secret("correct!horse")
    assert looks_secret("abcdefgh-ijklmnop-qrst")
    assert not looks_secret("a1")
    assert looks_secret("4829")
    assert entropy("") == 0


@pytest.mark.parametrize(
    ("text", "said", "dropped"),
    [
        ("Ann is introverted and prefers quiet evenings.", "I stayed at home again.", True),
        ("Ann says that she is introverted.", "I'm an introvert, you know.", False),
        ("Ann is politically conservative.", "Taxes are too high.", True),
        ("Ann values honesty above all.", "He lied to me, I left.", True),
        ("Ann values honesty.", "I value honesty.", False),
        ("The values of the table are wrong.", "It is wrong.", False),
        ("Ann is a Christian.", "I go to church on Sundays.", True),
        ("Ann may be depressed.", "I slept badly.", True),
        ("用户性格内向。", "我周末又没出门。", True),
        ("用户性格内向。", "我性格比较内向。", False),
        ("用户重视家庭。", "我每周末都回家看爸妈。", True),
        ("Ann adopted a dog named Rex.", "We got a dog, Rex!", False),
    ],
)
def test_a_judgement_counts_only_if_it_was_said(text: str, said: str, dropped: bool) -> None:
    assert inferred(text, [said]) is dropped
