"""Agent Skills folders, as coding agents load them: `<name>/SKILL.md`, read and written.

Other agents know six keys of front matter. What a skill of ours says besides, its trigger and its
checkpoints, travels inside `metadata`, and comes back byte by byte when nobody changed the file.
"""

import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from .errors import HarnessError
from .folder import MAX_FILES, read_text
from .front_matter import read_mapping, split_front_matter, write_mapping, write_scalar
from .harness import Harness
from .skills import check_skill_name, path_of, read_skill
from .text import normalise

FILE = "SKILL.md"
STASH = "tackroom"
OWN_KEYS = ("trigger", "checkpoints")
SHARED_KEYS = ("name", "description", "license", "compatibility", "allowed-tools", "metadata")
MAX_COMPATIBILITY = 500


@dataclass(frozen=True)
class PassedOver:
    """A file or folder that was not taken, or not in full, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class AgentSkills:
    """What a folder of skills holds.

    Attributes:
        skills: text of SKILL.md as a harness keeps it, by name.
        refused: skills that cannot be used.
        ignored: what stands beside SKILL.md, and front matter of other agents.
    """

    skills: Mapping[str, str]
    refused: tuple[PassedOver, ...] = ()
    ignored: tuple[PassedOver, ...] = ()


def read_agent_skills(folder: str | Path) -> AgentSkills:
    """Read a folder of skills, or the folder of one skill; links are not followed.

    Raises:
        HarnessError: there is no such folder, or it holds far too much.
    """
    root = Path(folder)
    if not root.is_dir():
        msg = "there is no such folder"
        raise HarnessError(msg, where=str(folder), hint="a folder of NAME/SKILL.md")
    if (root / FILE).exists():
        return _joined([_read_skill_folder(root, root.resolve().name)])
    found: list[AgentSkills] = []
    for path in _entries(root):
        if path.is_symlink() or not path.is_dir():
            reason = "is no folder of a skill; links are not followed"
            found.append(AgentSkills({}, ignored=(PassedOver(path.name, reason),)))
        else:
            found.append(_read_skill_folder(path, path.name))
    return _joined(found)


def write_agent_skills(
    harness: Harness, folder: str | Path, *, replace: bool = False
) -> dict[str, bool]:
    """Write the skills of a harness, each as `NAME/SKILL.md`; tells which ones are new or changed.

    Raises:
        HarnessError: the harness has no skill, one cannot be said in the shared format, the
            folder cannot be written, or another skill of a name stands there and `replace` is
            not set; then nothing is written.
    """
    if not harness.skills:
        msg = "the harness has no skills"
        raise HarnessError(msg, where=harness.harness_id)
    root = Path(folder)
    texts = {s.name: to_agent_skill(harness.files[path_of(s.name)]) for s in harness.skills}
    changed = {name: _differs(root / name / FILE, text) for name, text in texts.items()}
    for name in texts:
        if changed[name] and (root / name / FILE).exists() and not replace:
            msg = "another skill of this name stands there"
            raise HarnessError(msg, where=str(root / name), hint="remove it, or replace it")
    try:
        for name in (name for name, is_changed in changed.items() if is_changed):
            target = root / name / FILE
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(texts[name], encoding="utf-8", newline="\n")
    except OSError as error:
        msg = f"cannot be written: {error.strerror}"
        raise HarnessError(msg, where=str(folder)) from None
    return changed


def to_agent_skill(text: str) -> str:
    """Say a SKILL.md of ours in the keys that every agent knows.

    Raises:
        HarnessError: it says more in `compatibility` than others read.
    """
    values, body = split_front_matter(text, path=FILE)
    header = text[4 : len(text) - len(body)].rsplit("---", 1)[0]
    values = values or {}
    if len(str(values.get("compatibility", ""))) > MAX_COMPATIBILITY:
        msg = f"compatibility has more than {MAX_COMPATIBILITY} characters"
        raise HarnessError(msg, where=str(values.get("name", "")), hint="shorten it")
    if _is_shared(values) and "---" not in header:
        return text
    lines = [
        f"{key}: {write_scalar(_as_text(values[key]))}" for key in SHARED_KEYS[:-1] if key in values
    ]
    lines.append("metadata:")
    lines += [
        f"  {write_scalar(key)}: {write_scalar(_as_text(value))}"
        for key, value in {**_mapping(values.get("metadata")), STASH: header}.items()
    ]
    return "\n".join(["---", *lines, "---", body])


def from_agent_skill(text: str, *, name: str) -> tuple[str, list[str]]:
    """Give a SKILL.md of any agent as a harness keeps it, and the keys that are left out.

    Raises:
        HarnessError: it cannot be used as the skill of this name.
    """
    text = normalise(text).strip("\n") + "\n"
    path = f"{name}/{FILE}"
    values, body = split_front_matter(text, path=path)
    values = dict(values or {})
    check_skill_name(name)
    metadata = _mapping(values.get("metadata"))
    stash = metadata.pop(STASH, None)
    if isinstance(stash, str):
        original = f"---\n{stash}---\n{body}"
        if _is_unchanged(original, text):
            return original, []
        own = read_mapping(stash, path=f"{path} metadata.{STASH}")
        values |= {key: own[key] for key in OWN_KEYS if key in own and key not in values}
        values["metadata"] = metadata
        if not metadata:
            del values["metadata"]
    foreign = [key for key in values if key not in (*SHARED_KEYS, *OWN_KEYS)]
    if foreign or isinstance(stash, str) or not _is_shared(values):
        known = {key: _plain(value) for key, value in values.items() if key not in foreign}
        # Without front matter there is nothing to write anew, and reading it says so.
        text = f"---\n{write_mapping(known)}---\n{body}" if known else text
    read_skill(text, name=name)
    return text, foreign


def _is_unchanged(original: str, text: str) -> bool:
    try:
        return to_agent_skill(original) == text
    except HarnessError:
        return False


def _is_shared(values: Mapping[str, object]) -> bool:
    """Whether every agent reads front matter as it stands: known keys, and texts under them."""
    return all(key in SHARED_KEYS and isinstance(value, str) for key, value in values.items())


def _mapping(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        return {}
    return {str(key): inner for key, inner in cast("dict[object, object]", value).items()}


def _as_text(value: object) -> str:
    if isinstance(value, list):
        return " ".join(str(item) for item in cast("list[object]", value))
    return value if isinstance(value, str) else str(value)


def _plain(value: object) -> object:
    """Keep what JSON has; dates and such, which YAML reads into objects, become texts."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in _mapping(cast("object", value)).items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in cast("list[object]", value)]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _read_skill_folder(folder: Path, name: str) -> AgentSkills:
    entries = _entries(folder)
    if folder / FILE not in entries:
        return AgentSkills({}, ignored=(PassedOver(name, f"holds no {FILE}"),))
    path = f"{name}/{FILE}"
    try:
        text, foreign = from_agent_skill(_read_plain(folder / FILE, path), name=name)
    except HarnessError as error:
        said = f"{error.what} ({error.hint})" if error.hint else error.what
        return AgentSkills({}, (PassedOver(path, said),))
    ignored: list[PassedOver] = []
    beside = ", ".join(entry.name for entry in entries if entry.name != FILE)
    if beside:
        ignored.append(PassedOver(name, f"only {FILE} is kept, not {beside[:200]}"))
    if foreign:
        ignored.append(PassedOver(path, f"keys of other agents: {', '.join(foreign)[:200]}"))
    return AgentSkills({name: text}, ignored=tuple(ignored))


def _read_plain(file: Path, path: str) -> str:
    if not stat.S_ISREG(file.lstat().st_mode):
        msg = "is no plain file"
        raise HarnessError(msg, where=path, hint="links are not followed")
    return read_text(file, path)


def _entries(folder: Path) -> list[Path]:
    try:
        found = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        msg = f"cannot be read: {error.strerror}"
        raise HarnessError(msg, where=str(folder)) from None
    if len(found) > MAX_FILES:
        msg = f"holds more than {MAX_FILES} entries"
        raise HarnessError(msg, where=str(folder))
    return found


def _differs(target: Path, text: str) -> bool:
    if target.parent.is_symlink() or target.is_symlink():
        msg = "is a link"
        raise HarnessError(msg, where=str(target), hint="links are not followed")
    if not target.exists():
        return True
    try:
        return target.read_bytes() != text.encode()
    except OSError as error:
        msg = f"cannot be read: {error.strerror}"
        raise HarnessError(msg, where=str(target)) from None


def _joined(parts: list[AgentSkills]) -> AgentSkills:
    return AgentSkills(
        {name: text for part in parts for name, text in part.skills.items()},
        tuple(one for part in parts for one in part.refused),
        tuple(one for part in parts for one in part.ignored),
    )
