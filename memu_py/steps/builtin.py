"""The built-in plug-in: it comes through the same door as any other."""

from collections.abc import Mapping
from types import MappingProxyType

from memu_py.documents.parser import DOCUMENT, DocumentParser
from memu_py.embedding.factory import register_embedders
from memu_py.importers.builtin import BUILTIN_IMPORTERS
from memu_py.llm.factory import register_chat_models
from memu_py.modality.detect import PARSERS, AnyParser
from memu_py.pictures.parser import IMAGE, ImageParser
from memu_py.recordings.audio import AUDIO, AudioParser
from memu_py.recordings.subtitles import SUBTITLES, SubtitleParser
from memu_py.recordings.video import VIDEO, VideoParser
from memu_py.reranking.factory import register_rerankers
from memu_py.steps.maintain.archive import archive
from memu_py.steps.maintain.build_response import build_maintain_response
from memu_py.steps.maintain.compress import compress
from memu_py.steps.maintain.find_expired import find_expired
from memu_py.steps.maintain.find_faded import find_faded
from memu_py.steps.memorize.assess_value import assess_value
from memu_py.steps.memorize.build_response import build_memorize_response
from memu_py.steps.memorize.classify_items import classify_items
from memu_py.steps.memorize.embed_items import embed_items
from memu_py.steps.memorize.extract_entities import extract_entities
from memu_py.steps.memorize.ingest_resource import ingest_resource
from memu_py.steps.memorize.persist import persist
from memu_py.steps.memorize.preprocess import preprocess
from memu_py.steps.memorize.resolve_duplicates import resolve_duplicates
from memu_py.steps.memorize.update_categories import update_categories
from memu_py.steps.retrieve.build_response import build_retrieve_response
from memu_py.steps.retrieve.expand_context import expand_context
from memu_py.steps.retrieve.fuse import fuse
from memu_py.steps.retrieve.judge_sufficiency import judge_sufficiency
from memu_py.steps.retrieve.rank import rank
from memu_py.steps.retrieve.read_layers import read_layers
from memu_py.steps.retrieve.recall_categories import recall_categories
from memu_py.steps.retrieve.recall_dense import recall_dense
from memu_py.steps.retrieve.recall_entities import recall_entities
from memu_py.steps.retrieve.recall_keyword import recall_keyword
from memu_py.steps.retrieve.recall_relations import recall_relations
from memu_py.steps.retrieve.recall_resources import recall_resources
from memu_py.steps.retrieve.rerank import rerank
from memu_py.steps.retrieve.route_query import route_query
from memu_py.transcription.factory import register_transcribers
from memu_py.workflow.registry import Registry

PARSER = "parser"
"""Registry kind of parsers, by modality."""
IMPORTER = "importer"
"""Registry kind of importers, by the program whose exports they read."""

STEPS = (
    ingest_resource,
    preprocess,
    assess_value,
    extract_entities,
    resolve_duplicates,
    classify_items,
    embed_items,
    persist,
    update_categories,
    build_memorize_response,
    find_expired,
    find_faded,
    compress,
    archive,
    build_maintain_response,
    route_query,
    recall_dense,
    recall_keyword,
    recall_entities,
    recall_relations,
    fuse,
    rerank,
    rank,
    judge_sufficiency,
    recall_categories,
    recall_resources,
    expand_context,
    read_layers,
    build_retrieve_response,
)

BUILTIN_PARSERS: Mapping[str, AnyParser] = MappingProxyType(
    {
        AUDIO: AudioParser(),
        VIDEO: VideoParser(),
        IMAGE: ImageParser(),
        SUBTITLES: SubtitleParser(),
        DOCUMENT: DocumentParser(),
        **PARSERS,
    }
)
"""By modality, in the order in which they are asked: by their first bytes, then texts of a form, then any text."""


def register(registry: Registry) -> None:
    """Add the built-in steps, parsers, importers, embedders, rerankers, chat models and transcribers."""
    for one in STEPS:
        registry.add_step(one)
    for name, parser in BUILTIN_PARSERS.items():
        registry.add(PARSER, name, parser)
    for name, importer in BUILTIN_IMPORTERS.items():
        registry.add(IMPORTER, name, importer)
    register_embedders(registry)
    register_rerankers(registry)
    register_chat_models(registry)
    register_transcribers(registry)
