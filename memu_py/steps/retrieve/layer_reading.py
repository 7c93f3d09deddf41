"""What a model answers to a page: a form, or prose that says the same."""

import re
from typing import Any

from pydantic import BaseModel, field_validator

from memu_py.llm.fragments import answer_of
from memu_py.llm.reading import read
from memu_py.steps.retrieve.citing import ids_in

_FENCE = re.compile(r"^\s*```[\w+-]*\s*$", re.MULTILINE)
_BROKEN = re.compile(r"^[{\[]\s*[{\"']|[\"'](?:relevant|sufficient|answer|citations)[\"']\s*:")
_THOUGHT_END = "</think>"
_LABEL = re.compile(
    r"^[\s*#>-]*(?:\d+[.)、]\s*)?[*`_]*(relevant|sufficient|answer|citations|相关|足够|回答|引用)[*`_]*\s*[:：]\s*[*`_]*",
    re.IGNORECASE | re.MULTILINE,
)
_CHINESE = {"相关": "relevant", "足够": "sufficient", "回答": "answer", "引用": "citations"}
_YES = re.compile(r"\W*(true|yes|是|足够)", re.IGNORECASE)
_NONE = re.compile(r"\W*(none|nothing|no\b|无|没有|$)", re.IGNORECASE)


class LayerReading(BaseModel):
    """What a model answers to one page."""

    relevant: list[str] = []
    sufficient: bool = False
    answer: str = ""
    citations: list[str] = []

    @field_validator("relevant", "citations", mode="before")
    @classmethod
    def _ids(cls, value: Any) -> Any:
        """Take one id for a list of one, and a number for an id."""
        if isinstance(value, str | int):
            return [str(value)]
        return (
            [str(one) if isinstance(one, int) else one for one in value] if isinstance(value, list) else value
        )


def read_freely(text: str) -> LayerReading | None:
    """Read an answer that was not asked for in a form: by form if it has one, else as prose.

    Args:
        text: as the model wrote it.

    Returns:
        None where there is no sense in it, such as a form that is broken off.
    """
    formed = read(text, LayerReading).value
    return formed if isinstance(formed, LayerReading) else read_prose(text)


def read_prose(text: str) -> LayerReading | None:
    """Read prose: its parts where it names them, such as `Answer: …`, else the whole as the answer.

    Args:
        text: as the model wrote it; thoughts before the answer do not count.

    Returns:
        None where nothing is said, or what is said is a broken form and no prose.
    """
    said = _FENCE.sub("", answer_of(text).rpartition(_THOUGHT_END)[2]).strip()
    if not said or _BROKEN.search(said):
        return None
    parts = _parts(said)
    if not parts:
        return LayerReading.model_construct(_fields_set={"answer"}, answer=said)
    given: dict[str, Any] = {
        name: list(ids_in(parts[name]))
        for name in ("relevant", "citations")
        if name in parts and (ids_in(parts[name]) or _NONE.match(parts[name]))
    }
    if "sufficient" in parts:
        given["sufficient"] = bool(_YES.match(parts["sufficient"]))
    return LayerReading(answer=parts.get("answer", ""), **given)


def _parts(said: str) -> dict[str, str]:
    """Return the parts that a text names; what stands before the first one is the answer, unless it is named too."""
    labels = list(_LABEL.finditer(said))
    if not labels:
        return {}
    ends = [*(label.start() for label in labels[1:]), len(said)]
    named = {
        _name(label[1]): said[label.end() : end].strip() for label, end in zip(labels, ends, strict=True)
    }
    return {"answer": said[: labels[0].start()].strip(), **named}


def _name(label: str) -> str:
    return _CHINESE.get(label, label.casefold())
