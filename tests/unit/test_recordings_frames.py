"""Key frames: which pictures of a video are looked at."""

import io
import struct
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image

from memu_py.errors import Cancelled, ConfigError
from memu_py.recordings.frames import Frame, Selection, key_frames, thinned
from memu_py.testing.recordings import SIZE, Form, Scene, sound_file, tone, video_file
from memu_py.transcription.probe import probe

WANTED = Selection(
    max_frames=12, scene_change=0.25, min_gap_s=2.0, max_side=1600, max_pixels=64_000_000, between=True
)
SLIDES = [Scene(4, "One thing"), Scene(4, "Two others"), Scene(4, "Three", (200, 30, 30))]


def seen(data: bytes, **changes: Any) -> tuple[list[Frame], tuple[str, ...]]:
    return key_frames(data, WANTED.evolve(**changes), name="film", check=lambda: None)


def times(frames: Sequence[Frame]) -> list[float]:
    return [one.at_s for one in frames]


def picture(frame: Frame) -> Any:
    return np.asarray(Image.open(io.BytesIO(frame.image)).convert("L"))


@pytest.mark.parametrize(
    "form",
    [Form("mp4", "libx264"), Form("matroska", "libvpx"), Form("avi", "mpeg4"), Form("mpegts", "mpeg4")],
)
def test_each_scene_has_a_frame_the_first_included(form: Form) -> None:
    frames, warnings = seen(video_file(SLIDES, form=form))

    assert times(frames) == pytest.approx([0, 4, 8], abs=0.5)
    assert warnings == ()
    assert [Image.open(io.BytesIO(one.image)).size for one in frames] == [SIZE] * 3
    assert picture(frames[0]).mean() > 200 > 120 > picture(frames[2]).mean()


def test_a_still_picture_is_one_scene_however_long() -> None:
    frames, _ = seen(video_file([Scene(20, "The same")]))

    assert times(frames) == [0]


def test_scenes_that_follow_too_fast_are_passed_over() -> None:
    quick = [Scene(1, f"Slide number {place}", (255, 255 - 40 * place, 255)) for place in range(6)]

    frames, _ = seen(video_file(quick), min_gap_s=2.5)

    assert all(after - before >= 2.5 for before, after in zip(times(frames), times(frames)[1:], strict=False))
    assert len(frames) == 3


def test_of_many_scenes_a_few_are_kept_spread_over_the_whole() -> None:
    many = [Scene(1, f"Slide {place}", (255, 255, 255) if place % 2 else (0, 0, 0)) for place in range(30)]

    frames, _ = seen(video_file(many), max_frames=4, min_gap_s=0.5)

    assert len(frames) == 4
    assert times(frames)[0] == 0
    assert times(frames)[-1] > 15


def test_frames_nearest_to_the_one_before_go_first() -> None:
    frames = [Frame(image=b"", at_s=at) for at in (0.0, 1.0, 10.0, 11.0, 20.0)]

    assert times(thinned(frames, 3)) == [0.0, 10.0, 20.0]
    assert times(thinned(frames, 1)) == [0.0]
    assert thinned(frames, 9) == frames


def test_pictures_that_are_stored_whole_will_do_where_there_are_enough() -> None:
    data = video_file(SLIDES, whole_every=10)
    sparse = video_file(SLIDES, whole_every=1000)

    assert probe(data, name="film").whole_every_s == pytest.approx(1, abs=0.1)
    assert probe(sparse, name="film").whole_every_s == pytest.approx(12, abs=0.1)
    assert times(seen(data, between=False)[0]) == pytest.approx([0, 4, 8], abs=1)
    assert times(seen(sparse, between=False)[0]) == [0]


def test_a_picture_that_is_lying_is_put_upright_and_a_large_one_is_made_smaller() -> None:
    data = bytearray(video_file([Scene(2, "MMM")]))
    matrix = data.index(b"tkhd") + 4 + 40
    data[matrix : matrix + 20] = struct.pack(">iiiii", 0, 0x10000, 0, -0x10000, 0)

    (frame,), _ = seen(bytes(data), max_side=160)

    upright = picture(frame)
    assert upright.shape == (160, 90)
    # The text stood on the left.
    assert upright[:80].mean() < upright[80:].mean() - 5


def test_without_pictures_or_without_wish_for_them_there_are_none() -> None:
    assert seen(sound_file(tone(1))) == ([], ())
    assert seen(video_file(SLIDES), max_frames=0) == ([], ())


def test_a_picture_larger_than_allowed_is_not_decoded_and_told_of() -> None:
    frames, warnings = seen(video_file(SLIDES), max_pixels=1000)

    assert frames == []
    assert warnings == ("none of its pictures can be decoded",)


def test_damaged_pictures_are_passed_over_and_told_of() -> None:
    data = bytearray(video_file(SLIDES, form=Form("matroska", "libvpx"), whole_every=5))
    start = len(data) // 3
    for place in range(start, start + 600):
        data[place] ^= 0xA5

    frames, warnings = seen(bytes(data))

    assert times(frames)[0] == 0
    assert times(frames)[-1] > 6
    assert all("damaged" in one for one in warnings)


def test_a_run_that_is_to_stop_stops_between_two_pictures() -> None:
    def check() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        key_frames(video_file(SLIDES), WANTED, name="film", check=check)


def test_without_pillow_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)

    with pytest.raises(ConfigError, match=r"the pictures of a video needs pillow.*memu_py\[video\]"):
        seen(b"")
