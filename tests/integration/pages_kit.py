"""A plug-in of the tests' own, whose originals have pages: lines of `# page`, each with text below."""

import re

from memu_py.modality.blocks import Block, joined
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.records.locator import Locator
from memu_py.workflow.registry import Registry

HEAD = "PAGES\n"


class PagesParser:
    def accepts(self, raw: Raw, text: str | None) -> bool:
        return text is not None and text.startswith(HEAD)

    def parse(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS) -> Parsed:
        pages = re.split(r"^# page\n", raw.data.decode(), flags=re.M)[1:]
        blocks = [
            Block(text=text, locator=Locator(page=number)) for number, text in enumerate(pages, start=1)
        ]
        text, segments = joined(blocks, max_chars=options.group_chars)
        return Parsed(
            text=text, segments=segments, modality="pages", media_type="text/pages", title="A lease"
        )


def register(registry: Registry) -> None:
    registry.add("parser", "pages", PagesParser())


def pages(*texts: str) -> str:
    return HEAD + "".join(f"# page\n{text}\n" for text in texts)
