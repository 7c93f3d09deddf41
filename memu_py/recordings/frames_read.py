"""Reading the key frames of a video as pictures."""

from collections.abc import Sequence
from typing import NamedTuple

from memu_py.modality.blocks import Block
from memu_py.modality.media import MediaTools
from memu_py.recordings.frames import Frame


class FramesRead(NamedTuple):
    """What was read in the frames.

    Attributes:
        blocks: in order, each with the second of its frame.
        warnings: what could not be read.
    """

    blocks: tuple[Block, ...] = ()
    warnings: tuple[str, ...] = ()


async def read_frames(frames: Sequence[Frame], tools: MediaTools) -> FramesRead:
    """Read the pictures of a video.

    Args:
        frames: in order of time.
        tools: what pictures are read with.
    """
    if not frames:
        return FramesRead()
    return FramesRead(warnings=(f"its pictures were not read: {len(frames)}",))
