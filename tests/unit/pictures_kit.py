"""Lines of text where an engine would have found them."""

from memu_py.pictures.ocr import Line

CHAR = 14
HEIGHT = 30


def wide(text: str) -> int:
    """How wide a text is written, in pixels."""
    return sum(CHAR if char.isascii() else 2 * CHAR for char in text)


def line(text: str, x: int, y: int, *, height: int = HEIGHT, width: int | None = None) -> Line:
    return Line(
        text=text, confidence=0.99, box=(x, y, x + (width or wide(text) * height // HEIGHT), y + height)
    )


def column(texts: list[str], x: int, y: int, *, step: int = 40) -> list[Line]:
    """Lines one below the other."""
    return [line(text, x, y + step * place) for place, text in enumerate(texts)]
