"""One door to all readers: what goes wrong behind it is an error of the input, or of what is not installed."""

import importlib
import warnings
from collections.abc import Mapping
from typing import Any

from memu_py.documents.formats import FORMATS, Format
from memu_py.documents.reading import Bounds, Reading
from memu_py.errors import ConfigError, InvalidInput, MemuError
from memu_py.modality.media import locked_out

EXTRA = "documents"
DAMAGED = "is it damaged, or was it cut short?"


def read_document(data: bytes, *, form: str, bounds: Mapping[str, Any]) -> dict[str, Any]:
    """Read a document; what `memu_py.modality.apart` calls in the other process.

    Args:
        data: the document.
        form: a key of `FORMATS`.
        bounds: fields of `Bounds`.

    Raises:
        InvalidInput: it is damaged, locked, or holds nothing.
        ConfigError: what reads it is not installed.
    """
    reading = read_as(FORMATS[form], data, Bounds(**bounds))
    return reading.bounded().to_dict()


def read_as(form: Format, data: bytes, bounds: Bounds) -> Reading:
    """Read a document of a format; errors as for `read_document`."""
    module, _, function = form.reader.partition(":")
    try:
        read = getattr(importlib.import_module(module), function)
    except ImportError as error:
        raise ConfigError(locked_out(form.what, EXTRA, form.needs)) from error
    with warnings.catch_warnings():
        # What a library finds odd in a file says nothing to who wants it read.
        warnings.simplefilter("ignore")
        reading: Reading = _guarded(read, form, data, bounds)
    if not reading.scans and not any(one.text.strip() for one in reading.blocks):
        msg = f"{form.what} that holds no text"
        raise InvalidInput(msg, hint=reading.warnings[0] if reading.warnings else None)
    return reading


def _guarded(read: Any, form: Format, data: bytes, bounds: Bounds) -> Any:
    try:
        return read(data, bounds)
    except InvalidInput as error:
        msg = f"{form.what} cannot be read: {error.args[0]}"
        raise InvalidInput(msg, hint=error.hint) from error
    except (MemuError, MemoryError):
        raise
    except RecursionError as error:
        msg = f"{form.what} cannot be read: it is nested too deep"
        raise InvalidInput(msg) from error
    except Exception as error:
        msg = f"{form.what} cannot be read: {type(error).__name__}: {str(error)[:200]}"
        raise InvalidInput(msg, hint=DAMAGED) from error
