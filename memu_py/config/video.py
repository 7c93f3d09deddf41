"""`video`: which pictures of a video are looked at."""

from pydantic import Field

from memu_py.config.section import Section


class VideoSettings(Section):
    """How videos are read: their sound as `audio` says, some of their pictures as `images` says."""

    max_frames: int = Field(
        default=12, ge=0, description="pictures that are looked at; 0 for the sound alone"
    )
    scene_change: float = Field(
        default=0.25, gt=0, le=1, description="how much must change for a new scene, from 0 to 1"
    )
    min_gap_s: float = Field(default=2.0, ge=0, description="seconds between two pictures at least")
    max_s: float = Field(default=14_400.0, gt=0, description="a longer video is refused, in seconds")
