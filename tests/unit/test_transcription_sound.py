"""Sound window by window: formats, cuts, gaps, what is damaged."""

import itertools
import random
import struct
import tracemalloc

import numpy as np
import pytest

from memu_py.errors import InvalidInput
from memu_py.modality.signature import signature
from memu_py.testing.recordings import FORMS, RATE, Samples, Scene, silence, sound_file, tone, video_file
from memu_py.transcription.container import container_of
from memu_py.transcription.probe import probe
from memu_py.transcription.sound import Sound, Window, loudness, quiet_place

MEDIA_TYPES = {
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "m4a": "audio/mp4",
    "mp4": "audio/mp4",
    "ogg": "audio/ogg",
    "flac": "audio/flac",
    "aac": "audio/aac",
    "aiff": "audio/aiff",
    "wma": "audio/x-ms-wma",
    "caf": "audio/x-caf",
    "mka": "audio/webm",
}


def windows(
    data: bytes, window_s: float = 600.0, max_s: float = 100.0
) -> tuple[list[Window], tuple[str, ...]]:
    track = Sound(data, name="talk", max_s=max_s)
    try:
        found = list(track.windows(window_s))
        return found, track.warnings
    finally:
        track.close()


def joined(*parts: Samples) -> Samples:
    return np.concatenate(parts)


@pytest.mark.parametrize("form", FORMS)
def test_every_format_is_known_by_its_bytes_and_decoded_whole(form: str) -> None:
    data = sound_file(joined(silence(1), tone(3)), form)

    kind = container_of(data)
    (window,), warnings = windows(data)

    assert kind is not None
    assert kind.media_type == MEDIA_TYPES[form]
    assert window.seconds == pytest.approx(4, abs=0.15)
    assert loudness(window.part(0, 0.8).samples) < 0.01
    assert loudness(window.part(1.5, 3.5).samples) == pytest.approx(0.21, abs=0.03)
    assert warnings == ()


def test_a_box_file_with_pictures_is_a_video_and_one_without_is_not() -> None:
    assert signature(video_file([Scene(1, "A")], sound=tone(1))) == "an MP4 video"
    assert signature(sound_file(tone(1), "mp4")) == "an M4A recording"


def test_windows_are_cut_where_it_is_quiet_and_lose_nothing() -> None:
    sound = joined(tone(4), silence(1), tone(4), silence(1), tone(4))

    found, _ = windows(sound_file(sound), window_s=6)

    assert [round(one.start_s, 1) for one in found] == [
        0.0,
        pytest.approx(4.5, abs=0.1),
        pytest.approx(9.5, abs=0.1),
    ]
    assert np.array_equal(joined(*(one.samples for one in found)), sound)
    assert all(
        one.start_s == pytest.approx(before.start_s + before.seconds)
        for before, one in itertools.pairwise(found)
    )


def test_without_a_quiet_place_a_window_is_no_longer_than_it_may_be() -> None:
    found, _ = windows(sound_file(tone(13)), window_s=5)

    assert all(one.seconds <= 5 for one in found)
    assert sum(len(one.samples) for one in found) == 13 * RATE


def test_the_longest_pause_of_the_last_half_is_the_place() -> None:
    samples = joined(silence(1), tone(6), silence(1), tone(1), silence(0.4), tone(3))

    assert quiet_place(samples, 11 * RATE) == pytest.approx(7.5 * RATE, abs=0.1 * RATE)


def test_a_long_recording_is_held_a_window_at_a_time() -> None:
    data = sound_file(silence(600), "flac")
    track = Sound(data, name="talk", max_s=1000)
    tracemalloc.start()
    seconds = sum(one.seconds for one in track.windows(20))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    track.close()

    assert round(seconds, 3) == 600
    assert peak < 600 * RATE * 2 / 5


def test_sound_that_begins_later_than_the_pictures_keeps_its_time() -> None:
    data = video_file([Scene(6, "A")], sound=tone(2), sound_from=3.0)

    (window,), _ = windows(data)

    assert loudness(window.part(0, 2.8).samples) == 0
    assert loudness(window.part(3.2, 4.8).samples) > 0.1


def test_a_longer_recording_than_allowed_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(InvalidInput, match=r"talk is 12 s long, and at most 10 s are taken .*audio\.max_s"):
        Sound(sound_file(tone(12), "mp3"), name="talk", max_s=10)


def test_a_silent_film_has_no_sound_track() -> None:
    with pytest.raises(InvalidInput, match="talk has no sound track"):
        Sound(video_file([Scene(1, "A")]), name="talk", max_s=10)


def test_text_is_no_recording() -> None:
    with pytest.raises(
        InvalidInput, match="talk is no recording that is known here: it looks like a PDF document"
    ):
        probe(b"%PDF-1.7 ...", name="talk")


@pytest.mark.parametrize(
    "playlist", [b"ffconcat version 1.0\nfile /etc/passwd\n", b"#EXTM3U\n#EXTINF:1,\n/etc/passwd\n"]
)
def test_play_lists_which_name_other_files_are_not_opened(playlist: bytes) -> None:
    with pytest.raises(InvalidInput, match="no recording that is known here"):
        probe(playlist, name="list")


@pytest.mark.parametrize("form", ["mp3", "flac", "aiff", "mka"])
def test_a_missing_end_is_told_and_the_rest_is_heard(form: str) -> None:
    whole = sound_file(tone(5), form)

    (window,), warnings = windows(whole[: len(whole) * 6 // 10])

    assert 2 < window.seconds < 4
    assert any("its end is missing: 3 of 5 seconds are there" in one for one in warnings)


def test_a_wav_that_announces_more_than_is_there_is_told_of() -> None:
    whole = sound_file(tone(5))
    big = whole[:4] + struct.pack("<I", 200_000_000) + whole[8:]

    for data, size in ((whole[:96_000], len(whole)), (big, 200_000_008)):
        _, warnings = windows(data)
        assert warnings == (f"its end is missing: {len(data)} of {size} bytes are there",)


def test_a_wav_from_a_pipe_which_does_not_know_its_size_is_whole() -> None:
    whole = bytearray(sound_file(tone(2)))
    data_at = whole.index(b"data") + 4
    whole[4:8] = whole[data_at : data_at + 4] = b"\xff\xff\xff\xff"

    (window,), warnings = windows(bytes(whole))

    assert window.seconds == 2
    assert warnings == ()


@pytest.mark.parametrize(
    ("form", "warning"), [("mp3", "is damaged"), ("aac", "is damaged"), ("ogg", "has gaps, 1 s")]
)
def test_damaged_parts_are_left_out_and_told_of(form: str, warning: str) -> None:
    data = bytearray(sound_file(tone(20), form))
    data[len(data) // 2 : len(data) // 2 + 400] = random.Random(1).randbytes(400)

    found, (told, *_) = windows(bytes(data))

    assert sum(one.seconds for one in found) == pytest.approx(20, abs=0.2)
    assert f"its sound {warning}" in told


def test_an_absurd_rate_is_refused_at_once() -> None:
    data = bytearray(sound_file(tone(1)))
    data[24:28] = struct.pack("<I", 570_000_000)

    with pytest.raises(InvalidInput, match="holds no sound that can be decoded"):
        windows(bytes(data))


def test_a_file_without_any_sound_in_it_is_refused() -> None:
    whole = sound_file(tone(1))
    with pytest.raises(InvalidInput, match="holds no sound that can be decoded"):
        windows(whole[: whole.index(b"data") + 8])


def test_a_part_of_a_box_file_is_refused() -> None:
    whole = sound_file(tone(5), "m4a")
    with pytest.raises(InvalidInput, match=r"talk cannot be read: .*damaged"):
        windows(whole[: len(whole) // 2])


def test_a_window_in_pieces_is_the_same_sound() -> None:
    window = Window(samples=joined(tone(3), silence(1), tone(3)), start_s=100.0)

    pieces = list(window.pieces(4.5))

    assert [one.start_s for one in pieces] == [100, pytest.approx(103.5, abs=0.1)]
    assert np.array_equal(joined(*(one.samples for one in pieces)), window.samples)


def test_of_nothing_the_loudness_is_none() -> None:
    assert loudness(silence(0)) == 0
    assert loudness(tone(0.01)) > 0.1


def test_a_probe_tells_tracks_and_tags() -> None:
    data = video_file(
        [Scene(2, "A")], sound=tone(3), tags={"title": "Trip", "creation_time": "2024-05-01T10:00:00Z"}
    )

    found = probe(data, name="trip")

    assert (found.sounds, found.shows) == (True, True)
    assert found.duration_s == pytest.approx(3, abs=0.1)
    assert found.tags["title"] == "Trip"
    assert found.tags["creation_time"].startswith("2024-05-01T10:00:00")
