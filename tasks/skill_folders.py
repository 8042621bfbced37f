"""Skills in and out: Agent Skills folders into a new stored harness, and out of a stored one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError, DataContractError
from tasks.gate.hygiene import unwelcome
from tasks.gate.static import MAX_SKILL_CHARS
from tasks.harness import (
    AgentSkills,
    Harness,
    HarnessError,
    PassedOver,
    read_agent_skills,
    write_agent_skills,
)
from tasks.harness.skills import path_of, read_skill
from tasks.harness_rows import harness_rows
from tasks.harness_store import find_harness
from tasks.workbench import Workbench

_KNOWN = """
SELECT environment FROM harness_versions UNION SELECT environment FROM trajectories
"""
_STORED = "SELECT count(*) FROM harness_versions WHERE harness_id = ?"


def import_skills(folder: str, environment: str, word: str) -> dict[str, Any]:
    """Put the skills of a folder into a harness and store what that makes; no name points to it.

    A skill keeps the bounds that the gate sets for an edit: length, no key, no address, no mark
    of a chat template. One that does not is refused, and the others are taken.

    Raises:
        ConfigError: folder, environment or harness is not one that can be used.
        DataContractError: no skill of the folder can be used.
    """
    bench = Workbench.open()
    base = _base(bench, environment, word)
    try:
        found = read_agent_skills(folder)
    except HarnessError as error:
        raise ConfigError(str(error)) from error
    refused = [*found.refused]
    harness, taken = base, dict[str, str]()
    for name, text in found.skills.items():
        why = _why_not(name, text, base)
        if why:
            refused.append(PassedOver(f"{name}/SKILL.md", why))
            continue
        taken[name] = "unchanged" if base.files.get(path_of(name)) == text else _change(base, name)
        harness = _put(harness, name, text)
    if not taken:
        raise _nothing(folder, found, refused)
    ignored = [one for one in found.ignored if one.path.split("/")[0] not in _folders(refused)]
    is_new = _store(bench, base, harness)
    return {
        "folder": folder,
        "environment": harness.environment,
        "harness_id": harness.harness_id,
        "base_harness_id": base.harness_id,
        "new": is_new,
        "skills": taken,
        "refused_skills": _told(refused),
        "ignored_files": _told(ignored),
    }


def export_skills(word: str, environment: str, folder: str, *, replace: bool) -> dict[str, Any]:
    """Write the skills of a harness as a folder that coding agents load.

    Raises:
        ConfigError: the harness is unknown or has no skill, or the folder cannot be used.
    """
    harness = find_harness(word, environment)
    try:
        written = write_agent_skills(harness, Path(folder), replace=replace)
    except HarnessError as error:
        what = f"cannot export skills to {folder}: {error}"
        raise ConfigError(what) from error
    return {"folder": folder, "harness_id": harness.harness_id, "skills": written}


def _base(bench: Workbench, environment: str, word: str) -> Harness:
    with bench.warehouse.read() as reader:
        known = {str(row[0]) for row in reader.frame(_KNOWN).rows()} | set(
            bench.environment_names()
        )
    if environment and environment not in known:
        what = f"there is no environment `{environment[:60]}` here"
        raise ConfigError(what, hint=f"one of {', '.join(sorted(known))}")
    try:
        base = bench.harness(environment, word)
    except HarnessError as error:
        what = f"no harness is called `{word[:60]}`"
        raise ConfigError(what, hint="add --environment") from error
    if environment and base.environment != environment:
        what = f"harness {base.harness_id} is for {base.environment}, not for {environment}"
        raise ConfigError(what, hint="name another harness, or the other environment")
    return base


def _why_not(name: str, text: str, base: Harness) -> str:
    """Why a skill cannot be taken; empty when it can."""
    chars = len(read_skill(text, name=name).body)
    if chars > MAX_SKILL_CHARS:
        return f"has {chars} characters; {MAX_SKILL_CHARS} fit"
    findings = unwelcome(text, "\n".join(base.files.values()))
    return findings[0].text if findings else ""


def _change(base: Harness, name: str) -> str:
    return "replaced" if path_of(name) in base.files else "added"


def _put(harness: Harness, name: str, text: str) -> Harness:
    try:
        return harness.put("skills", name, text)
    except HarnessError as error:
        what = f"skill {name} does not fit into the harness: {error}"
        raise ConfigError(what, hint="import fewer skills") from error


def _nothing(folder: str, found: AgentSkills, refused: list[PassedOver]) -> DataContractError:
    passed = [*refused, *found.ignored]
    told = f": {passed[0].path}: {passed[0].reason}" if passed else ""
    more = f" (and {len(passed) - 1} more)" if len(passed) > 1 else ""
    what = f"{folder} holds no skill that can be used{told}{more}"
    return DataContractError(what, hint="a folder of NAME/SKILL.md with name and description")


def _store(bench: Workbench, base: Harness, harness: Harness) -> bool:
    """Store a harness, and the one it was made from, so that they can be compared."""
    with bench.warehouse.read() as reader:
        if reader.scalar(_STORED, [harness.harness_id]):
            return False
    bench.land([*harness_rows(base), *harness_rows(harness)], "skills")
    bench.commit()
    return True


def _folders(passed: list[PassedOver]) -> set[str]:
    return {one.path.split("/")[0] for one in passed}


def _told(passed: list[PassedOver]) -> list[Mapping[str, str]]:
    return [{"path": one.path, "reason": one.reason} for one in passed]
