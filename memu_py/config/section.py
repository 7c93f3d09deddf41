"""What all sections of config.yaml have in common."""

import re
import urllib.request
from pathlib import Path
from typing import Annotated, Any, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationInfo,
    model_validator,
)

BASE = "base"
"""Key of the validation context: the folder that relative paths count from."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://.+")


class Section(BaseModel):
    """A part of the configuration: frozen, no unknown keys; what is empty has its default, or is None if it can be."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_default=True, allow_inf_nan=False, hide_input_in_errors=True
    )

    @model_validator(mode="before")
    @classmethod
    def _empty(cls, value: Any) -> Any:
        if value is None:
            return {}
        if not isinstance(value, dict):
            return value
        return {key: part for key, part in value.items() if part is not None or cls._takes_none(key)}

    @classmethod
    def _takes_none(cls, key: str) -> bool:
        field = cls.model_fields.get(key)
        # An unknown key stays, to be told of.
        return field is None or type(None) in get_args(field.annotation)


def _absolute(path: Path, info: ValidationInfo) -> Path:
    base = (info.context or {}).get(BASE) or Path.cwd()
    # Not resolved: a link is followed when it is used, and stays a link in messages.
    return Path(base, path.expanduser())


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        msg = "must be an address such as http://localhost:11434/v1"
        raise ValueError(msg)
    if parts.username or parts.password:
        msg = "must not hold a password; put the key in `api_key`"
        raise ValueError(msg)
    return url


def _root(value: Any, info: ValidationInfo) -> Path | str:
    if not isinstance(value, str | Path):
        msg = "must be a path, or an address such as s3://bucket/prefix"
        raise ValueError(msg)  # noqa: TRY004 - pydantic turns this one into a fault of the file
    if isinstance(value, str) and _ADDRESS.fullmatch(value):
        parts = urlsplit(value)
        if parts.password is not None:
            msg = "must not hold a password; put it in `blobs.options`"
            raise ValueError(msg)
        if parts.scheme.lower() != "file" or parts.netloc:
            return value
        value = urllib.request.url2pathname(parts.path)
    return _absolute(Path(value), info)


def _filled(value: tuple[Any, ...]) -> tuple[Any, ...]:
    if not value:
        msg = "must hold at least one"
        raise ValueError(msg)
    return value


ConfigPath = Annotated[Path, AfterValidator(_absolute)]
"""A path; relative ones count from the folder of the config file, without one from the working directory."""

StorageRoot = Annotated[Path | str, PlainValidator(_root)]
"""A folder, like `ConfigPath`; or as text an address at which fsspec finds files."""

Address = Annotated[str, AfterValidator(_address)]
"""An http or https address without credentials."""

# Not `min_length`: pydantic counts only the members without a fault, and would report two faults for one.
NotEmpty = AfterValidator(_filled)
"""Marks a list that must have a member."""


def subsection(description: str) -> Any:
    """Return a field for a section inside a section, which may be left out.

    Args:
        description: what it is about.
    """
    # A mapping rather than a ready section: its defaults are validated too, with the base folder of the file.
    return Field(default_factory=dict, description=description)
