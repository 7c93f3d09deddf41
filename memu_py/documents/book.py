"""EPUB: chapters in the order of the book, each a page of HTML."""

import dataclasses
import posixpath
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup
from defusedxml.ElementTree import fromstring

from memu_py.documents.archive import opened
from memu_py.documents.reading import Bounds, Reading, own_title
from memu_py.documents.web import read_html
from memu_py.errors import InvalidInput
from memu_py.modality.blocks import Block
from memu_py.records.locator import Locator

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
PAGE_TYPES = ("application/xhtml+xml", "text/html")
NCX_TYPE = "application/x-dtbncx+xml"


def read_epub(data: bytes, bounds: Bounds) -> Reading:
    """Read a book: each block has its chapter.

    Raises:
        InvalidInput: it is damaged, locked by its seller, or holds more than is taken.
    """
    with opened(data, max_unpacked_mb=bounds.max_unpacked_mb) as archive:
        book = _opened(archive)
        names = book.spine()
        locked = book.locked()
        if locked & set(names):
            msg = "it is locked by who sold it (DRM)"
            raise InvalidInput(msg, hint="only its seller's programs can open it")
        warnings: list[str] = []
        if len(names) > bounds.max_pages:
            warnings.append(
                f"only the first {bounds.max_pages} of {len(names)} chapters are read (documents.max_pages)"
            )
        toc = book.titles()
        blocks: list[Block] = []
        for name in names[: bounds.max_pages]:
            blocks += _chapter(archive, name, toc.get(name), bounds, warnings)
        return Reading(blocks=tuple(blocks), title=book.title(), warnings=tuple(warnings))


def _chapter(
    archive: zipfile.ZipFile, name: str, title: str | None, bounds: Bounds, warnings: list[str]
) -> Iterator[Block]:
    try:
        content = archive.read(name)
    except KeyError:
        warnings.append(f"the chapter {name} is missing")
        return
    page = read_html(content, bounds)
    warnings += page.warnings
    heading = next((one.text for one in page.blocks if one.kind == "heading" and one.text), None)
    place = Locator(chapter=title or heading or page.title or posixpath.basename(name))
    if page.blocks and page.blocks[0].kind != "heading":
        # Else the last heading of the chapter before would stand above this one.
        yield Block(text=title or "", kind="heading", level=1, locator=place)
    yield from (one.evolve(locator=place.evolve(rows=one.locator.rows)) for one in page.blocks)


def _opened(archive: zipfile.ZipFile) -> "_Book":
    container = _xml(archive, CONTAINER)
    root = next((one.get("full-path") for one in _all(container, "rootfile")), None)
    if not root:
        msg = "it does not say where its contents are"
        raise InvalidInput(msg, hint="is it damaged?")
    return _Book(archive=archive, base=posixpath.dirname(root), package=_xml(archive, root))


def _xml(archive: zipfile.ZipFile, name: str) -> Any:
    try:
        return fromstring(archive.read(name))
    except KeyError as error:
        msg = f"{name} is missing in it"
        raise InvalidInput(msg, hint="is it damaged?") from error


def _all(root: Any, name: str) -> Iterator[Any]:
    """Yield elements by their local name: books use namespaces as they like."""
    return (one for one in root.iter() if isinstance(one.tag, str) and one.tag.rpartition("}")[2] == name)


@dataclasses.dataclass(slots=True)
class _Book:
    """The package of a book.

    Attributes:
        archive: the book.
        base: folder that its names count from.
        package: what lists its files and their order.
    """

    archive: zipfile.ZipFile
    base: str
    package: Any

    def spine(self) -> list[str]:
        """Return the names of the chapters, in order, without the table of contents."""
        files = self._files()
        found = [files.get(one.get("idref", "")) for one in _all(self.package, "itemref")]
        return [
            self._name(one.get("href", ""), self.base)
            for one in found
            if one is not None and one.get("media-type") in PAGE_TYPES and "nav" not in _properties(one)
        ]

    def title(self) -> str | None:
        """Return the title of the book."""
        return next((own_title(one.text) for one in _all(self.package, "title")), None)

    def locked(self) -> set[str]:
        """Return the names of what is encrypted; fonts often are, and nobody needs them."""
        if ENCRYPTION not in self.archive.namelist():
            return set()
        found = _all(_xml(self.archive, ENCRYPTION), "CipherReference")
        return {self._name(one.get("URI", ""), "") for one in found}

    def titles(self) -> Mapping[str, str]:
        """Return the titles that the table of contents gives, by chapter."""
        found: dict[str, str] = {}
        for file in self._files().values():
            is_contents = "nav" in _properties(file) or file.get("media-type") == NCX_TYPE
            name = self._name(file.get("href", ""), self.base)
            if is_contents and name in self.archive.namelist():
                for target, title in _contents(self.archive.read(name)):
                    found.setdefault(self._name(target, posixpath.dirname(name)), title)
        return found

    def _files(self) -> dict[str, Any]:
        return {one.get("id", ""): one for one in _all(self.package, "item")}

    def _name(self, target: str, base: str) -> str:
        return posixpath.normpath(posixpath.join(base, unquote(urlsplit(target).path)))


def _properties(file: Any) -> list[str]:
    return str(file.get("properties") or "").split()


def _contents(page: bytes) -> Iterator[tuple[str, str]]:
    """Yield the entries of a table of contents: those of EPUB 3 are links, those of EPUB 2 points."""
    soup = BeautifulSoup(page, "lxml")
    for link in soup.select("nav a[href]"):
        yield str(link["href"]), " ".join(link.get_text().split())
    for point in soup.select("navpoint"):
        label, content = point.find("navlabel"), point.find("content")
        if label is not None and content is not None:
            yield str(content.get("src") or ""), " ".join(label.get_text().split())
