"""The file `tackroom.toml`: reading it, and saying in one line what is wrong with a value."""

import re
import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from schemas.errors import ConfigError

TOML_FILE = "tackroom.toml"
DOTENV_FILE = ".env"
_LINE = re.compile(r" \(at line (\d+), column \d+\)$")
_TEXT, _NUMBER = 'write a text in quotes, as in `key = "text"`', "write a number without quotes"
_REMEDIES = {
    "string_type": _TEXT,
    "path_type": _TEXT,
    "int_type": _NUMBER,
    "int_parsing": _NUMBER,
    "int_from_float": "write a whole number",
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
    "tuple_type": 'write a list, as in `["a", "b"]`',
    "dict_type": "write a table, as in `[table]`",
    "model_type": "write a table, as in `[table]`",
    "missing": "add the key",
}
"""What to write, by the type of pydantic's error."""


def read_toml(path: Path, settings: type[BaseModel]) -> dict[str, Any]:
    """Values of a file; empty when there is none.

    Raises:
        ConfigError: it cannot be read, or a key begins with a line below.
    """
    try:
        toml = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, RecursionError, tomllib.TOMLDecodeError) as error:
        raise _unreadable(error) from error
    private = next((key for key in toml if key.startswith("_")), None)
    if private is not None:
        message = f"{TOML_FILE}: unknown key `{private}`"
        raise ConfigError(message, hint=f"known: {', '.join(_keys_of(settings))}")
    return toml


def _unreadable(error: Exception) -> ConfigError:
    """Say where the file breaks and what to do about it."""
    place, reason, hint = "", str(error), "nest its tables and lists less deeply"
    if isinstance(error, UnicodeDecodeError):
        line = error.object.count(b"\n", 0, error.start) + 1
        place, reason, hint = f" (line {line})", "it is no UTF-8 text", "save it as UTF-8"
    elif isinstance(error, tomllib.TOMLDecodeError):
        found = _LINE.search(reason)
        place = f" (line {found[1]})" if found else ""
        reason = _LINE.sub("", reason)
        hint = f"mend {'that line' if found else 'its last line'}: tables are `[table]`, "
        hint += 'values `key = "text"` or `key = 1`'
    elif isinstance(error, OSError):
        reason, hint = error.strerror or reason, "make it a file that you may read"
    return ConfigError(f"{TOML_FILE}{place} cannot be read: {reason}", hint=hint)


def explain(
    errors: list[ErrorDetails], toml: dict[str, Any], settings: type[BaseModel]
) -> ConfigError:
    """Say in one line which key is wrong, where it stands, and what was expected.

    An unknown key comes first: mistyped, it is why another one is missing.
    The value is not repeated: it may be a key somebody pasted into the wrong place.
    """
    error = next((item for item in errors if item["type"] == "extra_forbidden"), errors[0])
    place = tuple(str(part) for part in error["loc"])
    key = ".".join(place)
    origin = TOML_FILE if _stands_in(toml, place) else f"the environment or {DOTENV_FILE}"
    if error["type"] != "extra_forbidden":
        message = f"{origin}: `{key}`: {error['msg']}"
        return ConfigError(message, hint=_remedy(error["type"], place, settings))
    known = _keys_of(_model_at(place[:-1], settings))
    beside = [item for item in errors if item["loc"][:-1] == error["loc"][:-1]]
    missing = [str(item["loc"][-1]) for item in beside if item["type"] == "missing"]
    close = get_close_matches(place[-1], missing, n=1) or get_close_matches(place[-1], known, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"known: {', '.join(known)}"
    message = f"{origin}: unknown key `{key}`"
    return ConfigError(message, hint=hint)


def _remedy(kind: str, place: tuple[str, ...], settings: type[BaseModel]) -> str:
    """What to write instead: a value of another type, or what the key is for."""
    field = _model_at(place[:-1], settings).model_fields.get(place[-1])
    meaning = " ".join(((field.description if field else None) or "").split()).rstrip(".")
    return _REMEDIES.get(kind) or (f"change it: {meaning}" if meaning else "change it")


def _stands_in(toml: object, place: Sequence[str]) -> bool:
    """Tell whether a missing or wrong key comes from the file: its table stands there."""
    for part in place[:-1]:
        if not isinstance(toml, dict) or part not in toml:
            return False
        toml = cast("dict[str, Any]", toml)[part]
    return len(place) > 1 or (isinstance(toml, dict) and place[-1] in toml)


def _keys_of(model: type[BaseModel]) -> list[str]:
    return sorted(model.model_fields)


def _model_at(table: tuple[str, ...], settings: type[BaseModel]) -> type[BaseModel]:
    """The model of the table that a key stands in; of the innermost known one otherwise."""
    model, is_name = settings, False
    for part in table:
        if is_name:  # such as `local` in `models.local`: a name of the user's own
            is_name = False
            continue
        field = model.model_fields.get(part)
        inner = _model_in(field.annotation) if field else None
        if field is None or inner is None:
            break
        model, is_name = inner, get_origin(field.annotation) is dict
    return model


def _model_in(annotation: object) -> type[BaseModel] | None:
    """The model that a field holds, by itself, as an option, or by name."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(part) for part in get_args(annotation))
    return next((model for model in found if model), None)
