"""`images`: photographs, screenshots, scans."""

from typing import Literal

from pydantic import Field

from memu_py.config.section import Section


class ImageSettings(Section):
    """How pictures are read."""

    profile: str | None = Field(
        default=None,
        min_length=1,
        description="profile under `llm` of a model that sees, for descriptions; none if unset",
    )
    ocr: Literal["auto", "off"] = Field(
        default="auto",
        description="whether text in pictures is read; auto does where `rapidocr` is installed",
    )
    chat: bool = Field(default=True, description="whether a screenshot of a chat becomes its turns")
    min_confidence: float = Field(
        default=0.5, ge=0, le=1, description="lines that were read with less are left out"
    )
    timeout_s: float = Field(
        default=120.0, gt=0, description="how long reading the text of one picture may take, in seconds"
    )
    max_pixels: int = Field(
        # Pillow warns of larger ones as bombs, which is an error here.
        default=64_000_000,
        ge=1,
        le=89_000_000,
        description="pixels of a picture at most; a larger one is refused",
    )
    max_frames: int = Field(
        default=8, ge=1, description="frames of an animation, or pages of a TIFF, that are read"
    )
    max_side: int = Field(
        default=1600, ge=64, description="longer pictures are made smaller for the model, in pixels"
    )
