"""The files a coding agent may read and write: a candidate harness held in memory."""

import unicodedata
from collections.abc import Mapping

from schemas.errors import EditRejected
from schemas.text import clean_text
from tasks.harness import Harness, HarnessError
from tasks.harness.bundle import Change, changes
from tasks.harness.folder import MAX_FILE_BYTES, MAX_FILES, check_path

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

    @property
    def files(self) -> dict[str, str]:
        """All files as they are now."""
        return dict(self._files)

    def sizes(self) -> dict[str, int]:
        """Length of all files by path."""
        return {path: len(self._files[path]) for path in self.paths()}

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
        if path not in self._files and len(self._files) >= MAX_FILES:
            what = f"a harness holds at most {MAX_FILES} files"
            raise EditRejected(what, hint="delete one first")
        if hidden := _hidden(text):
            what = f"{path} would hold the invisible character {hidden}"
            raise EditRejected(what, hint="write plain text")
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


def _hidden(text: str) -> str:
    """The first character that nobody sees; joiners are allowed within words that need them."""
    for position, char in enumerate(text):
        if char in "\n\r\t" or char.isprintable():
            continue
        category = unicodedata.category(char)
        if category not in ("Cf", "Cc", "Co", "Cn"):
            continue
        around = text[max(0, position - 1) : position] + text[position + 1 : position + 2]
        if char in "\u200c\u200d" and len(around) == 2 and not around.isascii():
            continue
        return f"U+{ord(char):04X}"
    return ""
