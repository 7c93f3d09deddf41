"""What becomes of sensitive data before anything is stored: the one door that every text goes through."""

from collections.abc import Mapping
from typing import Any

from memu_py.config.privacy import PrivacySettings
from memu_py.language.sensitive import find_sensitive, has_han, masked
from memu_py.records.sensitive import KINDS, Finding

LEAST_NUMBER = 10**7
"""A smaller number in data is no telephone, card or the like."""


class Masker:
    """Takes sensitive data out of texts and plain data, as the policy of each kind says.

    The same value always leaves the same text, so that what is said twice is known again. A text that went through is
    left as it is when it comes again.

    Args:
        settings: the policies.
    """

    def __init__(self, settings: PrivacySettings) -> None:
        self._policies = {kind: getattr(settings, kind) for kind in KINDS}
        self._kinds = tuple(kind for kind in KINDS if self._policies[kind] != "keep")
        self._regions = settings.regions

    @property
    def active(self) -> bool:
        """Whether any kind is not kept."""
        return bool(self._kinds)

    def find(self, text: str) -> list[Finding]:
        """Return what may not stay in a text, in order."""
        return find_sensitive(text, self._kinds, regions=self._regions) if self._kinds else []

    def in_place_of(self, text: str, finding: Finding) -> str:
        """Return what stands in a text from now on where something was found."""
        if self._policies[finding.kind] == "drop":
            return ""
        value = text[finding.start : finding.end]
        return masked(finding.kind, value, chinese=has_han(text))

    def text(self, text: str) -> str:
        """Return a text as it may be stored."""
        parts: list[str] = []
        end = 0
        for one in self.find(text):
            parts += text[end : one.start], self.in_place_of(text, one)
            end = one.end
        return "".join((*parts, text[end:])) if parts else text

    def optional(self, text: str | None) -> str | None:
        """Return a text as it may be stored; None stays."""
        return None if text is None else self.text(text)

    def data(self, value: Any) -> Any:
        """Return plain data as it may be stored: its texts, its keys, and numbers that are long enough to be one."""
        if not self._kinds:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.data(key): self.data(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(self.data, value))
        if isinstance(value, int) and value >= LEAST_NUMBER:
            return self.text(str(value)) if self.find(str(value)) else value
        return value
