"""Which parts of a failed bundle are worth a slot of their own; no choice looks at outcomes."""

from collections.abc import Sequence

from tasks.gate.candidate import TEXT_LAYERS, Candidate
from tasks.gate.static import added_text


def split_bundle(edits: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """Two parts that depend on no outcome: rules and texts, or else halves in the given order."""
    texts = [edit for edit in edits if edit.layer in TEXT_LAYERS]
    rules = [edit for edit in edits if edit.layer not in TEXT_LAYERS]
    if texts and rules:
        return rules, texts
    middle = (len(edits) + 1) // 2
    return list(edits[:middle]), list(edits[middle:])


def shed_text(edits: Sequence[Candidate], excess: float) -> list[Candidate]:
    """Leave out the longest texts until the others should fit; `excess` is used over allowed.

    Tokens are taken to grow with the characters that text edits add.
    """
    sizes = {
        edit.edit_id: len(added_text(edit.parent, edit.child))
        for edit in edits
        if edit.layer in TEXT_LAYERS
    }
    room = sum(sizes.values()) / excess
    kept = list(edits)
    for edit_id in sorted(sizes, key=lambda key: (-sizes[key], key)):
        if sum(sizes[edit.edit_id] for edit in kept if edit.edit_id in sizes) <= room:
            break
        kept = [edit for edit in kept if edit.edit_id != edit_id]
    return kept if len(kept) < len(edits) else []
