"""What changed in a tool since a harness was accepted, and whether old calls still fit."""

from dataclasses import dataclass
from typing import Literal

from schemas.evidence import ParameterOutline, ToolSeal

ToolStatus = Literal["same", "compatible", "incompatible", "gone", "new"]


@dataclass(frozen=True)
class ToolChange:
    """One tool then and now.

    Attributes:
        status: `incompatible` when a call that was right may be wrong now.
        changes: what changed, one line each; the breaking ones first.
    """

    tool: str
    status: ToolStatus
    changes: tuple[str, ...] = ()


def compare(name: str, old: ToolSeal | None, new: ToolSeal | None) -> ToolChange:
    """Compare a tool at acceptance with the tool of today; one of both must be there."""
    if new is None:
        return ToolChange(name, "gone", ("is no longer offered",))
    if old is None:
        return ToolChange(name, "new", ("was not there at acceptance",))
    breaking: list[str] = []
    harmless: list[str] = []
    for path in sorted(old.parameters.keys() | new.parameters.keys()):
        _compare(path, old.parameters.get(path), new.parameters.get(path), breaking, harmless)
    if not breaking and not harmless and old.parameters_sha256 != new.parameters_sha256:
        harmless.append("bounds or texts of parameters changed")
    if old.description_sha256 != new.description_sha256:
        harmless.append("the description changed")
    if breaking:
        return ToolChange(name, "incompatible", (*breaking, *harmless))
    return ToolChange(name, "compatible" if harmless else "same", tuple(harmless))


def _compare(
    path: str,
    old: ParameterOutline | None,
    new: ParameterOutline | None,
    breaking: list[str],
    harmless: list[str],
) -> None:
    if new is None:
        breaking.append(f"parameter `{path}` was removed")
    elif old is None:
        told = breaking if new.required else harmless
        told.append(f"parameter `{path}` was added, {_need(new)}")
    else:
        _types(path, old, new, breaking, harmless)
        _choices(path, old, new, breaking, harmless)
        if old.required != new.required:
            told = breaking if new.required else harmless
            told.append(f"parameter `{path}` was {_need(old)} and is {_need(new)}")


def _types(
    path: str,
    old: ParameterOutline,
    new: ParameterOutline,
    breaking: list[str],
    harmless: list[str],
) -> None:
    if old.types == new.types:
        return
    is_wider = not new.types or (bool(old.types) and _accepted(new) >= set(old.types))
    told = harmless if is_wider else breaking
    told.append(f"parameter `{path}` was {_say(old.types)} and is {_say(new.types)}")


def _accepted(outline: ParameterOutline) -> set[str]:
    """Types that fit; a whole number is a number."""
    return {*outline.types, *(["integer"] if "number" in outline.types else [])}


def _choices(
    path: str,
    old: ParameterOutline,
    new: ParameterOutline,
    breaking: list[str],
    harmless: list[str],
) -> None:
    if old.choices == new.choices:
        return
    if new.choices is None:
        harmless.append(f"parameter `{path}` may have any value now")
    elif old.choices is None:
        breaking.append(f"parameter `{path}` may only be {', '.join(new.choices)[:120]} now")
    else:
        gone, added = set(old.choices) - set(new.choices), set(new.choices) - set(old.choices)
        if gone:
            breaking.append(f"parameter `{path}` may not be {', '.join(sorted(gone))[:120]} now")
        if added:
            harmless.append(f"parameter `{path}` may also be {', '.join(sorted(added))[:120]}")


def _need(outline: ParameterOutline) -> str:
    return "required" if outline.required else "optional"


def _say(types: tuple[str, ...]) -> str:
    return " or ".join(types) or "of any type"
