"""Pictures with text in them, drawn where a test can find it again."""

import io
from collections.abc import Sequence
from typing import Any, Literal

from PIL import Image, ImageDraw, ImageFont

CHINESE_FONT = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
Box = tuple[int, int, int, int]


def font(size: int, *, chinese: bool = False) -> Font:
    return ImageFont.truetype(CHINESE_FONT, size) if chinese else ImageFont.load_default(size=size)


class Canvas:
    """A picture, and where on it each text stands."""

    def __init__(self, size: tuple[int, int] = (900, 600), colour: str = "white") -> None:
        self.image = Image.new("RGB", size, colour)
        self.boxes: dict[str, Box] = {}
        self._pen = ImageDraw.Draw(self.image)

    def write(
        self, text: str, x: int, y: int, *, size: int = 28, colour: str = "black", chinese: bool = False
    ) -> None:
        pen = font(size, chinese=chinese)
        self._pen.multiline_text((x, y), text, font=pen, fill=colour, spacing=8)
        left, top, right, bottom = self._pen.multiline_textbbox((x, y), text, font=pen, spacing=8)
        self.boxes[text] = (int(left), int(top), int(right), int(bottom))

    def bubble(self, side: Literal["left", "right"], text: str, y: int, *, chinese: bool = False) -> int:
        """Write what somebody says in a chat; return where the next bubble goes."""
        pen = font(26, chinese=chinese)
        left, top, right, bottom = self._pen.multiline_textbbox((0, 0), text, font=pen, spacing=8)
        width, height = int(right - left) + 40, int(bottom - top) + 40
        x = 90 if side == "left" else self.image.width - 90 - width
        colour = "white" if side == "left" else "#95ec69"
        self._pen.rounded_rectangle((x, y, x + width, y + height), 14, fill=colour)
        self.write(text, x + 20, y + 16, size=26, chinese=chinese)
        return y + height + 30

    def centred(self, text: str, y: int, *, size: int = 20, chinese: bool = False) -> None:
        x = int(self.image.width - self._pen.textlength(text, font=font(size, chinese=chinese))) // 2
        self.write(text, x, y, size=size, colour="#777777", chinese=chinese)

    def saved(self, form: str = "PNG", **options: Any) -> bytes:
        file = io.BytesIO()
        self.image.save(file, format=form, **options)
        return file.getvalue()


def covers(found: Sequence[int], drawn: Box, *, slack: int = 12) -> bool:
    """Tell whether a box lies around what was drawn, and hardly beyond it."""
    sides = zip(found, drawn, (-1, -1, 1, 1), strict=True)
    return all(-6 <= (side - true) * sign <= slack for side, true, sign in sides)


def whiteboard() -> Canvas:
    canvas = Canvas((1200, 800), "#fbfbf5")
    canvas.write("Harbour project, second meeting", 80, 60, size=40)
    canvas.write("The ferry to the islands sails on Friday at noon", 80, 220)
    canvas.write("Budget for the lighthouse lamp is 4200 euros", 80, 400)
    canvas.write("Marta orders the green paint", 80, 580)
    return canvas


def chat_screenshot(*, date: str = "2023-05-08 14:03", title: str = "Lena Hale") -> Canvas:
    canvas = Canvas((720, 1280), "#ededed")
    canvas.write("9:41", 30, 12, size=22)
    canvas.write("5G 87%", 610, 12, size=22)
    canvas.centred(title, 58, size=28)
    canvas.centred(date, 146)
    y = canvas.bubble("left", "Are you free on Saturday\nfor the violin concert?", 190)
    y = canvas.bubble("right", "Yes, I bought two tickets\nin the third row", y)
    y = canvas.bubble("left", "My sister Clara comes too", y)
    canvas.bubble("right", "I am allergic to lilies", y)
    return canvas
