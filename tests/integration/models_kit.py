"""A plug-in with a step that asks a chat model about every text of a memorize."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict
from service_kit import config

from memu_py.config.settings import Settings
from memu_py.llm.backend import Completion
from memu_py.llm.sifting import SIFTED
from memu_py.records.resource import Segment
from memu_py.steps.resources import MemoryResources
from memu_py.testing.chat import ScriptedBackend
from memu_py.workflow.context import StepContext
from memu_py.workflow.registry import Registry
from memu_py.workflow.step import step

KEY = "sk-very-secret"


class Fact(BaseModel):
    text: str


class Facts(BaseModel):
    facts: Annotated[list[Fact], SIFTED]


class AskConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")

    fail: bool = False
    profile: str = "default"


@step("ask_model", produces={"segments": list[Segment]})
async def ask_model(
    segments: list[Segment], *, ctx: StepContext[MemoryResources], config: AskConfig
) -> list[Segment]:
    """Asks a model for the facts of each segment, one after the other, and fails afterwards where it is told to."""
    model = ctx.resources.chat(config.profile, purpose=ctx.step)
    for segment in segments:
        await model.chat([{"role": "user", "content": segment.text}], Facts)
    if config.fail:
        msg = "the step broke after it had paid"
        raise RuntimeError(msg)
    return segments


def canned(settings: Settings, name: str) -> ScriptedBackend:
    said = Completion(text='{"facts": []}', prompt_tokens=20, completion_tokens=7)
    return ScriptedBackend(reply=lambda request: said, name=f"canned/{settings.llm[name].model}")


def register(registry: Registry) -> None:
    registry.add_step(ask_model)
    registry.add("chat", "canned", canned)


VERBATIM = {"use": "extract_entities", "with": {"mode": "verbatim"}}
"""So that no other step asks a model."""


def asking(base_url: str, path: Any = None, *, fail: bool = False, **more: Any) -> Mapping[str, Any]:
    """A configuration whose memorize asks the model at an address."""
    profile = {"model": "m", "provider": "local", "base_url": base_url, "api_key": KEY, "max_retries": 0}
    steps = [{"use": "ask_model", "with": {"fail": fail}}, VERBATIM]
    return config(
        path,
        plugins=["service_kit", "models_kit"],
        llm={"default": profile | more.pop("profile", {})},
        workflows={"memorize": {"steps": steps}},
        **more,
    )
