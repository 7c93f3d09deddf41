"""The built-in importers by name, in the order in which they are asked."""

from collections.abc import Mapping
from types import MappingProxyType

from memu_py.importers.chatgpt import ChatGptImporter
from memu_py.importers.claude import ClaudeImporter
from memu_py.importers.importer import Importer
from memu_py.importers.mbox import MboxImporter
from memu_py.importers.slack import SlackImporter
from memu_py.importers.telegram import TelegramImporter
from memu_py.importers.whatsapp import WhatsAppImporter

BUILTIN_IMPORTERS: Mapping[str, Importer] = MappingProxyType(
    {
        "slack": SlackImporter(),
        "chatgpt": ChatGptImporter(),
        "claude": ClaudeImporter(),
        "telegram": TelegramImporter(),
        "whatsapp": WhatsAppImporter(),
        "mbox": MboxImporter(),
    }
)
"""Slack first: it is known by the names of its many files, which nobody then looks into."""
