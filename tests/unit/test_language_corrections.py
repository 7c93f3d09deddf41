"""What a sentence says to hold no longer, and what of other texts it takes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_py.language.corrections import corrections, takes_back


def taken_back(said: str, known: str) -> bool:
    return any(takes_back(one, known) for one in corrections(said))


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I moved from Beijing to Shanghai.", "I live in Beijing."),
        ("Last month I finally moved from Beijing to Shanghai, and I love it!", "I live in Beijing."),
        ("I no longer drink coffee.", "I drink coffee every morning."),
        ("I don't drink coffee anymore because it makes me nervous.", "I drink coffee every morning."),
        ("I quit smoking.", "I smoke ten cigarettes a day."),
        ("I switched from Python to Go.", "I write my services in Python."),
        ("We replaced Jenkins with GitHub Actions.", "We build everything with Jenkins."),
        ("I left Google for Meta.", "I work at Google."),
        ("I quit my job at Google last week.", "I work at Google."),
        ("I used to be a vegetarian but now I eat fish.", "I am a vegetarian."),
        ("My name is not Ann but Anna.", "My name is Ann."),
        ("Ann no longer drinks coffee.", "Ann drinks coffee."),
        ("我上个月从北京搬到上海了。", "我住在北京。"),
        ("我不再喝咖啡了。", "我每天早上喝咖啡。"),
        ("我现在不喝咖啡了", "我喜欢喝咖啡"),
        ("我戒烟了。", "我每天抽烟。"),
        ("我从Python换成Go了。", "我用Python写后端。"),
        ("小明不再喝咖啡。", "小明喝咖啡。"),
    ],
)
def test_an_explicit_correction_takes_back_what_it_names(said: str, known: str) -> None:
    assert taken_back(said, known)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        # Implied only, or two things that may both hold.
        ("I live in Shanghai now.", "I live in Beijing."),
        ("I like coffee.", "I like tea."),
        ("I still use Go.", "I switched from Python to Go."),
        ("我现在住在上海。", "我住在北京。"),
        # Another thing, or somebody else's.
        ("I no longer drink coffee.", "Coffee keeps me awake."),
        ("I no longer drink coffee.", "I drink tea every morning."),
        ("I moved from Beijing to Shanghai.", "I have a friend named Beijing."),
        ("Ann no longer drinks coffee.", "Bob drinks coffee."),
        ("He no longer lives with me.", "I live with Tom."),
        ("小明不再喝咖啡。", "小红喝咖啡。"),
        # Not said to be so.
        ("Would I be sad if I no longer lived in Beijing?", "I live in Beijing."),
        ("Maybe I will move from Beijing to Shanghai.", "I live in Beijing."),
        ("If I quit smoking I would gain weight.", "I smoke ten cigarettes a day."),
        ("我打算戒烟。", "我每天抽烟。"),
        # Past already, or denied already.
        ("I switched from Python to Go.", "I taught Python in 2015."),
        ("I no longer drink coffee.", "I do not drink coffee in the evening."),
        ("I stopped at the store.", "I work at the store."),
    ],
)
def test_anything_less_takes_back_nothing(said: str, known: str) -> None:
    assert not taken_back(said, known)


@given(st.text(max_size=200))
def test_any_text_is_read_and_takes_back_itself_never(text: str) -> None:
    assert not taken_back(text, text)
