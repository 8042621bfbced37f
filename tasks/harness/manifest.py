"""`manifest.json`: what an exported harness folder holds, so that a change to it is noticed.

`evidence.json` beside it says what the harness was accepted on. The manifest seals it as well, but
apart from the files: evidence is about a harness, and no part of it.

It guards against accidents: a file lost, edited, merged or added on the way. Who can write to
the folder can write a manifest too; against that, give `Harness.load` the id that you expect.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from .errors import HarnessError
from .settings import API, check_api
from .text import make_id, normalise, sha256_hex

PATH = "manifest.json"
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_HINT = "export it again, or load it with edited=True"


class Manifest(BaseModel):
    """The parsed file.

    Attributes:
        files: sha256 by path, over the text that `harness_id` is hashed from: LF line ends, NFC
            form, `harness.yaml` without its `name:`.
        evidence: sha256 of `evidence.json` with LF line ends in NFC form; null when it was
            exported without.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    api: Literal[1]
    harness_id: str
    files: dict[str, Digest]
    evidence: Digest | None = None


def render_manifest(
    harness_id: str, content_files: Mapping[str, str], evidence: str | None = None
) -> str:
    """Write the manifest of a harness, and of the evidence that goes with it."""
    hashes = {path: sha256_hex(text) for path, text in sorted(content_files.items())}
    listed: dict[str, object] = {"api": API, "harness_id": harness_id, "files": hashes}
    if evidence is not None:
        listed["evidence"] = sha256_hex(normalise(evidence))
    return json.dumps(listed, indent=2) + "\n"


def read_manifest(text: str) -> Manifest:
    """Parse a manifest.

    Raises:
        HarnessError: it is none, is of another format version, or contradicts itself.
    """
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        msg = "is no JSON"
        raise HarnessError(msg, where=PATH, hint=_HINT) from None
    check_api(value, path=PATH)
    try:
        manifest = Manifest.model_validate(value)
    except ValidationError:
        msg = "is no manifest of a harness"
        raise HarnessError(msg, where=PATH, hint=f"api, harness_id, files; {_HINT}") from None
    if make_id("harn", [list(pair) for pair in sorted(manifest.files.items())]) != (
        manifest.harness_id
    ):
        msg = f"its files do not make {manifest.harness_id[:40]}"
        raise HarnessError(msg, where=PATH, hint=_HINT)
    return manifest


def check_files(manifest: Manifest, content_files: Mapping[str, str]) -> None:
    """Compare the files of a folder with its manifest, missing ones first.

    Raises:
        HarnessError: a file is missing, is not in the manifest, or has changed.
    """
    for path in sorted(manifest.files.keys() - content_files.keys()):
        msg = f"is missing; {manifest.harness_id} was exported with it"
        raise HarnessError(msg, where=path, hint=_HINT)
    for path in sorted(content_files.keys() - manifest.files.keys()):
        msg = f"was added; {manifest.harness_id} was exported without it"
        raise HarnessError(msg, where=path, hint="remove it, or load it with edited=True")
    for path, text in content_files.items():
        found, expected = sha256_hex(text), manifest.files[path]
        if found != expected:
            msg = f"has changed since {manifest.harness_id} was exported: "
            msg += f"sha256 {found[:12]}, expected {expected[:12]}"
            raise HarnessError(msg, where=path, hint=_HINT)


def check_evidence(manifest: Manifest, evidence: str | None) -> None:
    """Compare the evidence of a folder with its manifest.

    Raises:
        HarnessError: it is missing, was added or has changed.
    """
    if evidence is None:
        if manifest.evidence is None:
            return
        msg = f"is missing; {manifest.harness_id} was exported with it"
    elif manifest.evidence is None:
        msg = f"was added; {manifest.harness_id} was exported without it"
    elif sha256_hex(normalise(evidence)) != manifest.evidence:
        msg = f"has changed since {manifest.harness_id} was exported"
    else:
        return
    raise HarnessError(msg, where="evidence.json", hint=_HINT)
