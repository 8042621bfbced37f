"""The files a coding agent may read and write: a candidate harness held in memory."""

from collections.abc import Mapping

from schemas.errors import EditRejected
from schemas.text import clean_text
from tasks.harness import Harness, HarnessError
from tasks.harness.bundle import Change, changes
from tasks.harness.folder import MAX_FILE_BYTES, check_path

PROTECTED = frozenset({"harness.yaml", "workflow.yaml", "control.json"})
"""Files that hold budgets, switches and learned parts; an editor may read but not write them."""


class Workspace:
    """A candidate that starts as its parent; nothing in it touches a disk."""

    def __init__(self, parent: Harness, files: Mapping[str, str] | None = None) -> None:
        self.parent = parent
        self._files = dict(files if files is not None else parent.files)

    def paths(self) -> list[str]:
        """Paths of all files."""
        return sorted(self._files)

    def read(self, path: str) -> str:
        """Text of a file.

        Raises:
            EditRejected: there is none of that path.
        """
        if path not in self._files:
            what = f"there is no file {path[:120]!r}"
            raise EditRejected(what, hint=f"files: {', '.join(self.paths())[:400]}")
        return self._files[path]

    def write(self, path: str, text: str) -> None:
        """Write a file; it is checked as a part of the harness only at the end.

        Raises:
            EditRejected: the path is none a harness has, is protected, or the text is too long.
        """
        self._check(path)
        if len(text.encode("utf-8", "replace")) > MAX_FILE_BYTES:
            what = f"{path} would hold more than {MAX_FILE_BYTES} bytes"
            raise EditRejected(what, hint="write a shorter text")
        self._files[path] = clean_text(text)

    def delete(self, path: str) -> None:
        """Delete a file.

        Raises:
            EditRejected: the path is protected or there is no such file.
        """
        self._check(path)
        self.read(path)
        del self._files[path]

    def candidate(self) -> Harness:
        """The harness the files make; its name stays the parent's.

        Raises:
            EditRejected: the files make none, or change more or less than one layer.
        """
        try:
            child = Harness.from_files(self._files)
        except HarnessError as error:
            raise EditRejected(str(error), hint="mend the file and submit again") from None
        self.changed(child)
        return child

    def changed(self, child: Harness) -> tuple[Change, ...]:
        """Artifacts that a child changes, all of one layer.

        Raises:
            EditRejected: nothing is changed, or more than one layer is.
        """
        found = changes(self.parent, child)
        layers = sorted({change.layer for change in found})
        if not found:
            what = "no artifact is changed"
            raise EditRejected(what, reason="inert", hint="write a file before submitting")
        if len(layers) > 1:
            what = f"the edit touches {' and '.join(layers)}"
            raise EditRejected(what, hint="an edit stays within one layer; submit them one by one")
        return found

    def _check(self, path: str) -> None:
        if path in PROTECTED:
            what = f"{path} cannot be changed by an editor"
            raise EditRejected(what, hint="change contract.md, skills, actions.py, regulation.py")
        try:
            check_path(path)
        except HarnessError as error:
            raise EditRejected(str(error)) from None
