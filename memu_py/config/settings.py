"""The whole of config.yaml."""

import functools
import zoneinfo
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, PrivateAttr

from memu_py.config.audio import AudioSettings
from memu_py.config.blobs import BlobSettings
from memu_py.config.blocks import BlockSettings
from memu_py.config.budget import BudgetSettings
from memu_py.config.categories import CategorySettings
from memu_py.config.conversations import ConversationSettings
from memu_py.config.correct import CorrectSettings
from memu_py.config.database import DatabaseSettings
from memu_py.config.documents import DocumentSettings
from memu_py.config.embedding import EmbeddingSettings
from memu_py.config.graph import GraphSettings
from memu_py.config.images import ImageSettings
from memu_py.config.index import IndexSettings
from memu_py.config.ingest import IngestSettings
from memu_py.config.jobs import JobSettings
from memu_py.config.kv import KeyValueSettings
from memu_py.config.llm import ModelProfile
from memu_py.config.maintain import MaintainSettings
from memu_py.config.privacy import PrivacySettings
from memu_py.config.profile import ProfileSettings
from memu_py.config.reflect import ReflectSettings
from memu_py.config.reranker import RerankerSettings
from memu_py.config.retrieve import RetrieveSettings
from memu_py.config.scope import ScopeSettings
from memu_py.config.scoring import ScoringSettings
from memu_py.config.section import NotEmpty, Section, subsection
from memu_py.config.server import ServerSettings
from memu_py.config.video import VideoSettings
from memu_py.config.workflows import WorkflowSettings
from memu_py.marked_yaml import Document, Mark
from memu_py.nearest import nearest

ITEM_TYPES = (
    "profile",
    "event",
    "knowledge",
    "behavior",
    "skill",
    "tool",
    "fact",
    "episode",
    "preference",
    "insight",
    "procedure",
)
BLOBS_SUFFIX = ".blobs"
UNNAMED = "configuration"
"""What a configuration is called in messages when it came from no file."""


@functools.cache
def _zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


def _zone(name: str) -> str:
    if name in _zones():
        return name
    guess = nearest(name, _zones())
    meant = f"; did you mean `{guess}`?" if guess else "."
    msg = f"no time zone `{name}`{meant} Zones are named like Europe/Berlin or Asia/Shanghai"
    raise ValueError(msg)


def _nothing() -> Document:
    return Document({}, file=UNNAMED)


Zone = Annotated[str, AfterValidator(_zone)]
ItemType = Annotated[str, Field(min_length=1)]


class Settings(Section):
    """The whole configuration. Made by `load_settings`; frozen."""

    llm: dict[str, ModelProfile] = Field(default_factory=dict, description="chat models by profile name")
    budget: BudgetSettings = subsection("what chat models may cost")
    database: DatabaseSettings = subsection("where memories are kept")
    embedding: EmbeddingSettings = subsection("what turns texts into vectors")
    blobs: BlobSettings = subsection("originals, and which files may be read")
    ingest: IngestSettings = subsection("what may be fetched")
    privacy: PrivacySettings = subsection("what becomes of sensitive data before anything is stored")
    documents: DocumentSettings = subsection("PDF, office files, web pages, books, tables, mail")
    images: ImageSettings = subsection("photographs, screenshots, scans")
    audio: AudioSettings = subsection("what turns speech into text")
    video: VideoSettings = subsection("which pictures of a video are looked at")
    scope: ScopeSettings = subsection("whose memory it is by default; custom keys")
    timezone: Zone = Field(default="UTC", description="zone of times that name none, and of `today`")
    timezones: dict[str, Zone] = Field(default_factory=dict, description="the same by user id")
    item_types: Annotated[tuple[ItemType, ...], NotEmpty] = Field(
        default=ITEM_TYPES, description="types that an item may have"
    )
    conversations: ConversationSettings = subsection("chats that are kept, and when they are memorized")
    categories: CategorySettings = subsection("topics")
    blocks: BlockSettings = subsection("small texts that stand in every prompt")
    graph: GraphSettings = subsection("relations between names")
    retrieve: RetrieveSettings = subsection("defaults of questions")
    scoring: ScoringSettings = subsection("scoring profiles of your own")
    reranker: RerankerSettings = subsection("what reads questions and texts together, if anything")
    index: IndexSettings = subsection("in-process indexes")
    profile: ProfileSettings = subsection("what is known of a person")
    correct: CorrectSettings = subsection("corrections that name no memory")
    kv: KeyValueSettings = subsection("values by name")
    jobs: JobSettings = subsection("work that outlives the call")
    maintain: MaintainSettings = subsection("what is put away by itself")
    reflect: ReflectSettings = subsection("when memories are looked at together")
    server: ServerSettings = subsection("what `memu serve` offers, and to whom")
    prompts: dict[str, Path] = Field(
        default_factory=dict, description="prompt files of your own by task, such as `extract`"
    )
    workflows: dict[str, WorkflowSettings] = Field(
        default_factory=dict, description="pipelines by name: memorize, retrieve_rag …"
    )
    plugins: tuple[str, ...] = Field(default=(), description="modules with plug-ins, beside installed ones")

    _document: Document = PrivateAttr(default_factory=_nothing)

    @property
    def file(self) -> str:
        """The name of the file it came from, for messages."""
        return self._document.file

    def mark(self, path: tuple[str | int, ...]) -> Mark:
        """Return where a value stands in the file, or the nearest one around it.

        Args:
            path: keys and positions from the top, such as `("workflows", "memorize", "steps", 0)`.

        Returns:
            Line 0 when the configuration was not read from a text.
        """
        return self._document.mark(path)

    def timezone_of(self, user: str | None) -> str:
        """Return the name of a user's time zone, else the general one."""
        return self.timezones.get(user, self.timezone) if user is not None else self.timezone

    def blobs_root(self) -> Path | str | None:
        """Return where the originals are: as configured, else in a folder beside the database file.

        Returns:
            A folder; text for an address; None when they are kept in memory, as the database is.
        """
        if self.blobs.root is not None or self.database.backend == "memory":
            return self.blobs.root
        return self.database.path.with_name(self.database.path.name + BLOBS_SUFFIX)
