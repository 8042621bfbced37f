"""What no example may hold: secrets, and texts of tasks that are kept for judging."""

from collections.abc import Iterable

from schemas.redaction import has_secret
from tasks.synthesizer.evidence import Draft


def closed_texts(closed: Iterable[str], train: Iterable[str]) -> tuple[str, ...]:
    """Texts of held-out tasks that no train task holds; one that does gives nothing away."""
    seen = "\n".join(_plain(text) for text in train)
    texts = {_plain(text) for text in closed}
    return tuple(sorted(text for text in texts if text and text not in seen))


def is_clean(draft: Draft, closed: Iterable[str]) -> bool:
    """Tell whether an example comes from train alone and holds nothing it must not."""
    episodes = [draft.episode, *([draft.rejected_episode] if draft.rejected_episode else [])]
    if any(episode.trajectory.split != "train" for episode in episodes):
        return False
    sides = [*draft.messages, *draft.chosen, *(draft.rejected or [])]
    if has_secret(sides):
        return False
    said = "\n".join(_plain(str(message.get("content") or "")) for message in sides)
    return not any(text in said for text in closed)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
