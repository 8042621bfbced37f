"""Whether the tools of today are still those a harness was accepted with."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError
from tasks.evidence_card import find_card
from tasks.toolset.changes import ToolChange, compare
from tasks.toolset.definitions import read_definitions
from tasks.toolset.outline import seal
from tasks.toolset.references import Reference, find_references

MAX_BYTES = 8 * 1024 * 1024
BROKEN = ("gone", "incompatible")


def check_tools(word: str, file: str, environment: str = "") -> dict[str, Any]:
    """Compare the tools of a file with those at acceptance, and both with what the harness names.

    `verdict` is `refused` when a tool that the harness certainly names is gone or takes other
    calls than it took; `warned` when anything else changed or nothing is known of the tools at
    acceptance; else `same`.

    Raises:
        ConfigError: harness or file cannot be used.
    """
    harness, card = find_card(word, environment)
    now = {one.name: seal(one) for one in _read(file)}
    then = card.tools if card is not None else None
    references = find_references(harness, now.keys() | (then or {}).keys())
    named = {one.tool: one.certainty for one in reversed(references)}
    if then is not None:
        names = sorted(then.keys() | now.keys() | named.keys())
    else:
        names = sorted(name for name in named if name not in now)
    changes = [_change(name, then, now) for name in names]
    tools = [_told(change, references, named) for change in changes]
    refused = [one["tool"] for one in tools if one["refused"]]
    warnings = [f"{one['tool']}: {one['status']}" for one in tools if one["status"] != "same"]
    if then is None:
        told = "has no evidence card" if card is None or card.status == "none" else "tells no tools"
        warnings.insert(0, f"{harness.harness_id} {told}: what its tools were is not known")
    return {
        "harness_id": harness.harness_id,
        "environment": harness.environment,
        "verdict": "refused" if refused else "warned" if warnings else "same",
        "has_evidence": then is not None,
        "refused": refused,
        "warnings": warnings,
        "tools": tools,
        "references": [asdict(one) for one in references],
    }


def _change(name: str, then: dict[str, Any] | None, now: dict[str, Any]) -> ToolChange:
    old, new = (then or {}).get(name), now.get(name)
    if old is None and new is None:
        return ToolChange(name, "gone", ("is named by the harness and not offered",))
    return compare(name, old, new)


def _told(change: ToolChange, references: list[Reference], named: dict[str, Any]) -> dict[str, Any]:
    certainty = named.get(change.tool)
    places = list(dict.fromkeys(one.place for one in references if one.tool == change.tool))
    return {
        "tool": change.tool,
        "status": change.status,
        "changes": list(change.changes),
        "named": certainty,
        "places": places,
        "refused": change.status in BROKEN and certainty == "certain",
    }


def _read(file: str) -> list[Any]:
    path = Path(file)
    try:
        if path.stat().st_size > MAX_BYTES:
            what = f"{file} is larger than {MAX_BYTES} bytes"
            raise ConfigError(what, hint="name a file of tool definitions")
        return list(read_definitions(json.loads(path.read_text("utf-8-sig"))))
    except OSError as error:
        what = f"cannot read {file}: {error.strerror or error}"
        raise ConfigError(what, hint="name a JSON file of tool definitions") from error
    except (ValueError, TypeError, RecursionError) as error:
        is_json = not isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError)
        what = f"{file}: {error if is_json else 'is no JSON'}"
        hint = "tool definitions in chat, Responses or MCP form, as a list or under `tools`"
        raise ConfigError(what, hint=hint) from None
