"""`Harness`: an immutable, content-addressed set of files in four lifecycle layers."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from . import contract, folder, manifest, settings, skills
from .contract import Contract, read_contract
from .errors import HarnessError
from .rule_edits import put_rule, remove_rule
from .rules import PATHS, RuleFile, read_rules
from .settings import Budgets, Settings, read_settings
from .skills import Skill, read_skill
from .text import make_id, normalise, sha256_hex
from .values import LAYERS, Artifact, Delivery, Layer

MAX_DESCRIPTION = 300


@dataclass(frozen=True, eq=False)
class Harness:
    """A harness that has been read and checked; edits give a new one.

    Two harnesses are equal when their ids are. `files` maps paths to text with LF line ends in
    NFC form and always holds `harness.yaml`, `contract.md`, `actions.py` and `regulation.py`.
    """

    files: Mapping[str, str]
    settings: Settings
    contract: Contract
    skills: tuple[Skill, ...]
    actions: RuleFile
    regulation: RuleFile

    @classmethod
    def from_files(cls, files: Mapping[str, str]) -> "Harness":
        """Read and check a harness given as path -> text.

        Raises:
            HarnessError: anything in it cannot be used; one line with file and line.
        """
        texts = folder.check_files({path: normalise(text) for path, text in files.items()})
        names = [path.split("/")[1] for path in texts if path.startswith("skills/")]
        return cls(
            files=MappingProxyType(texts),
            settings=read_settings(texts[settings.PATH]),
            contract=read_contract(texts[contract.PATH]),
            skills=tuple(read_skill(texts[skills.path_of(name)], name=name) for name in names),
            actions=read_rules("actions", texts[PATHS["actions"]]),
            regulation=read_rules("regulation", texts[PATHS["regulation"]]),
        )

    @classmethod
    def load(
        cls, path: str | Path, *, harness_id: str | None = None, edited: bool = False
    ) -> "Harness":
        """Read and check a harness folder; see `from_files` for what is refused besides.

        A folder that was exported holds a manifest, and its files must be the exported ones.
        `edited` takes them as they are: the harness then has an id of its own, which no
        evidence was collected for. A folder without a manifest is one written by hand.

        Args:
            path: the folder.
            harness_id: the harness that must be in it, whatever a manifest says.
            edited: whether the files may differ from the manifest.

        Raises:
            HarnessError: the folder cannot be used, or is not what was exported or expected.
        """
        texts = folder.read_folder(Path(path))
        listed = None if edited else folder.read_about(Path(path), folder.MANIFEST)
        if listed is not None:
            found = _content({name: normalise(text) for name, text in texts.items()})
            sealed = manifest.read_manifest(listed)
            manifest.check_files(sealed, found)
            manifest.check_evidence(sealed, folder.read_about(Path(path), folder.EVIDENCE))
        loaded = cls.from_files(texts)
        if harness_id is not None and loaded.harness_id != harness_id:
            msg = f"the folder holds {loaded.harness_id}, not {harness_id[:40]}"
            raise HarnessError(msg, where=str(path), hint="export the harness you mean")
        return loaded

    def save(self, path: str | Path) -> None:
        """Write the harness as a folder: a new or empty one, or one that holds a harness."""
        folder.write_folder(Path(path), self.files)

    def export(self, path: str | Path, *, evidence: str | None = None) -> None:
        """Write the harness as `save` does, with the manifest that `load` checks it by.

        `evidence` is written beside it, sealed by the manifest and read by nobody here.
        """
        listed = manifest.render_manifest(self.harness_id, self.content_files, evidence)
        folder.write_folder(Path(path), self.files, listed, evidence)

    @cached_property
    def harness_id(self) -> str:
        """Hash over paths and file hashes, the `name:` of harness.yaml left out."""
        return make_id(
            "harn", [[path, sha256_hex(text)] for path, text in self.content_files.items()]
        )

    @cached_property
    def content_files(self) -> Mapping[str, str]:
        """What is hashed and stored: `files` with the name cut out of harness.yaml."""
        return MappingProxyType(_content(self.files))

    def __eq__(self, other: object) -> bool:
        """Compare by id."""
        return isinstance(other, Harness) and other.harness_id == self.harness_id

    def __hash__(self) -> int:
        """Hash by id."""
        return hash(self.harness_id)

    @property
    def api(self) -> int:
        """Version of the harness format."""
        return self.settings.api

    @property
    def name(self) -> str:
        """Name people gave it; no part of its identity."""
        return self.settings.name

    @property
    def environment(self) -> str:
        """Environment it is written for."""
        return self.settings.environment

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Layers that are switched on."""
        return self.settings.layers_on

    @property
    def budgets(self) -> Budgets:
        """Bounds on what it may do to one episode."""
        return self.settings.budgets

    @property
    def delivery(self) -> Delivery:
        """Whether skills are injected or loaded by the model."""
        return self.settings.delivery

    @property
    def offers_skills(self) -> bool:
        """Whether the model loads skills itself."""
        return "skills" in self.layers and bool(self.skills) and self.delivery == "on_demand"

    @cached_property
    def artifacts(self) -> tuple[Artifact, ...]:
        """Contract sections, tool hints, skills and rules, also of layers that are off."""
        found = [
            _artifact("contract", section.title, contract.PATH, section.text, section.text)
            for section in self.contract.sections
        ]
        for tool, hint in self.contract.tool_hints.items():
            name = f"{contract.TOOL_PREFIX}{tool}"
            found.append(_artifact("contract", name, contract.PATH, hint, hint))
        for skill in self.skills:
            path = skills.path_of(skill.name)
            body = self.files[path]
            found.append(_artifact("skills", skill.name, path, skill.description, body))
        for rules in (self.actions, self.regulation):
            for rule in rules.rules:
                path = PATHS[rules.layer]
                found.append(_artifact(rules.layer, rule.name, path, rule.description, rule.source))
        return tuple(found)

    def artifact(self, layer: Layer, name: str) -> Artifact:
        """Find an artifact.

        Raises:
            HarnessError: there is none of that layer and name.
        """
        for artifact in self.artifacts:
            if artifact.layer == layer and artifact.name == name:
                return artifact
        msg = f"there is no artifact {name!r} in layer {layer}"
        raise HarnessError(msg, where=self.harness_id)

    def put(self, layer: Layer, name: str, body: str) -> "Harness":
        """Add or replace one artifact: section text, SKILL.md text or rule source.

        A section keeps its place when replaced, and so does a rule. The name `tool:NAME` in
        layer contract stands for the hint of one tool.

        Raises:
            HarnessError: the artifact cannot be used.
        """
        path = _path_of(layer, name)
        if layer == "contract":
            return self._with({path: contract.put_section(self.files[path], name, body)})
        if layer == "skills":
            return self._with({path: normalise(body).strip("\n") + "\n"})
        return self._with({path: put_rule(layer, self.files[path], name, body)})

    def remove(self, layer: Layer, name: str) -> "Harness":
        """Remove one artifact; removing what was just added gives back the same id.

        Raises:
            HarnessError: there is no such artifact.
        """
        path = _path_of(layer, name)
        if layer == "contract":
            return self._with({path: contract.remove_section(self.files[path], name)})
        if layer == "skills":
            self.artifact(layer, name)
            return self._with({path: None})
        return self._with({path: remove_rule(layer, self.files[path], name)})

    def without_layer(self, layer: Layer) -> "Harness":
        """Switch a layer off; its artifacts stay in the folder.

        Raises:
            HarnessError: there is no such layer.
        """
        check_layer(layer)
        return self._with({settings.PATH: self.settings.without_layer(layer).render()})

    def with_delivery(self, delivery: Delivery) -> "Harness":
        """Change how skills reach the model."""
        if delivery == self.delivery:
            return self
        return self._with({settings.PATH: self.settings.with_delivery(delivery).render()})

    def for_environment(self, environment: str) -> "Harness":
        """Make the same harness for another environment, such as a base for imported episodes."""
        changed = self.settings.model_copy(update={"environment": environment})
        return self._with({settings.PATH: changed.render()})

    def _with(self, changes: Mapping[str, str | None]) -> "Harness":
        texts: dict[str, str | None] = {**self.files, **changes}
        return Harness.from_files({path: text for path, text in texts.items() if text is not None})


def _content(files: Mapping[str, str]) -> dict[str, str]:
    """Texts as they are hashed.

    Raises:
        HarnessError: the settings cannot be used, so nobody can tell where the name stands.
    """
    texts = dict(files)
    if settings.PATH in texts:
        read_settings(texts[settings.PATH])
        texts[settings.PATH] = settings.without_name(texts[settings.PATH])
    return dict(sorted(texts.items()))


def check_layer(name: str) -> None:
    """Refuse a name that is none of the four layers.

    Raises:
        HarnessError: it is none.
    """
    if name not in LAYERS:
        msg = f"there is no layer {name!r}"
        raise HarnessError(msg, hint=f"one of {', '.join(LAYERS)}")


def _path_of(layer: Layer, name: str) -> str:
    check_layer(layer)
    if layer == "contract":
        return contract.PATH
    if layer == "skills":
        return skills.path_of(skills.check_skill_name(name))
    return PATHS[layer]


def _artifact(layer: Layer, name: str, path: str, description: str, body: str) -> Artifact:
    first = description.strip().split("\n")[0][:MAX_DESCRIPTION]
    return Artifact(layer, name, path, first, body, make_id("art", [layer, name, body]))
