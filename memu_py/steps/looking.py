"""A chat model that sees, as the `Vision` that pictures are read with."""

import base64
import dataclasses
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from memu_py.llm.chat import ChatModel
from memu_py.modality.encoding import storable
from memu_py.modality.media import Look, Seen
from memu_py.prompts.prompt import Prompt
from memu_py.records.record import Record

LOOK = "look"
"""The task's name: of its prompt, and in `prompts` of the configuration."""
READ = "read"


def _listed(value: Any) -> Any:
    """Return what a model gave in place of a list as one: small ones leave it out, or write a text."""
    if isinstance(value, list):
        return [one for one in value if isinstance(one, str)]
    return [] if value is None else [value]


Texts = Annotated[list[str], BeforeValidator(_listed)]


class Sight(BaseModel):
    """What a model writes down of a picture."""

    description: str = Field(min_length=1, description="what the picture shows, in one to three sentences")
    facts: Texts = Field(default=[], description="what can be learnt from it, one by one")
    text: Texts = Field(default=[], description="what is written in it, line by line")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LookingModel(Record):
    """Shows pictures to a chat model; it is a `Vision`.

    Attributes:
        model: gives the model, whose client takes a second to import; it takes pictures in its messages.
        prompt: gives the instructions of a task, in the language of a text.
    """

    model: Callable[[], ChatModel]
    prompt: Callable[[str, str], Prompt]

    async def __call__(self, look: Look) -> Seen:
        """Describe a picture.

        Raises:
            ModelError: the model failed, or takes no pictures.
            BudgetExceeded: it would cost more than is left.
        """
        system, user = self.prompt(LOOK, look.about).messages({READ: look.about})
        answer = await self.model().chat([system, _with_picture(user, look)], Sight)
        sight = answer.value
        return Seen(
            description=storable(sight.description).strip(),
            facts=_lines(sight.facts),
            text=_lines(sight.text),
        )


def _with_picture(message: Mapping[str, Any], look: Look) -> dict[str, Any]:
    """Return a message whose content is its text, if it has any, and a picture."""
    data = base64.b64encode(look.image).decode("ascii")
    picture = {"type": "image_url", "image_url": {"url": f"data:{look.media_type};base64,{data}"}}
    said = [{"type": "text", "text": message["content"]}] if message["content"] else []
    return {**message, "content": [*said, picture]}


def _lines(found: list[str]) -> tuple[str, ...]:
    return tuple(line for one in found if (line := storable(one).strip()))
