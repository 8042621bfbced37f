"""Several edits of one parent as one harness."""

from collections.abc import Sequence

from schemas.errors import EditRejected
from tasks.gate.candidate import Candidate
from tasks.harness import Harness
from tasks.harness.bundle import Change, apply, bundle, changes


def combine(base: Harness, edits: Sequence[Candidate]) -> Harness:
    """Put edits on a base in the order given.

    Raises:
        EditRejected: two of them do not go together; see `fit_together`.
    """
    made = bundle(base, [edit.child for edit in edits])
    if made.dropped:
        first = made.dropped[0]
        what = f"edit {edits[first.position].edit_id} does not go with the others: {first.why}"
        raise EditRejected(what, reason="duplicate")
    return made.harness


def fit_together(
    base: Harness, edits: Sequence[Candidate]
) -> tuple[list[Candidate], list[tuple[Candidate, str]]]:
    """Edits that fit, in order, and those that collide with an earlier one, with the reason."""
    made = bundle(base, [edit.child for edit in edits])
    fitting = [edits[position] for position in made.applied]
    return fitting, [(edits[drop.position], drop.why) for drop in made.dropped]


def take_out(full: Harness, base: Harness, edits: Sequence[Candidate], gone: Candidate) -> Harness:
    """The harness of all edits but one; `full` is the harness of all of them."""
    made = changes(gone.parent, gone.child)
    before = {(item.layer, item.name): item.body for item in gone.parent.artifacts}
    if all(change.body is not None for change in made):
        undo = [Change(one.layer, one.name, before.get((one.layer, one.name))) for one in made]
        return apply(full, undo)
    # A removed artifact would come back in another place, so the others are put together anew.
    return combine(base, [edit for edit in edits if edit.edit_id != gone.edit_id])
