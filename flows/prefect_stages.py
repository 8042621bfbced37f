"""How flows call stages: each as one Prefect task with a small persisted result."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from prefect import task
from prefect.artifacts import (
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)

MAX_LISTED = 20
MAX_TEXT = 500
BAR_WIDTH = 20
SIMULATED = "Numbers of a *simulated* model."
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]+"
)
_MARKUP = re.compile(r"([\\`*_\[\]()#|~!{}])")


def as_task(stage: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a stage; its persisted result lets a retried flow go on where it stopped."""
    return task(name=_title(stage), persist_result=True)(stage)


class StageProgress:
    """Calls stages as tasks and shows after each how many of the most possible are done."""

    def __init__(self, key: str, most: int) -> None:
        self._most = max(most, 1)
        self._done = 0
        text = f"at most {most} stages"
        self._artifact = _artifact_id(create_progress_artifact(0.0, key=key, description=text))

    def call(self, stage: Callable[..., Any]) -> Callable[..., Any]:
        """As `as_task`, counted."""
        run = as_task(stage)

        def counted(*args: Any) -> Any:
            result = run(*args)
            self._done += 1
            self._show(f"{_title(stage)} is done: {self._done} of at most {self._most} stages")
            return result

        return counted

    def finish(self) -> None:
        """Say that nothing is left to do; rounds that were not needed count as done."""
        self._update(100.0, f"done after {self._done} stages")

    def _show(self, text: str) -> None:
        self._update(min(99.0, 100.0 * self._done / self._most), text)

    def _update(self, percent: float, text: str) -> None:
        update_progress_artifact(self._artifact, round(percent, 1), description=text)


@contextmanager
def shown_progress(key: str, most: int) -> Iterator[StageProgress]:
    """Show progress while the block runs; an error leaves it where it stopped."""
    progress = StageProgress(key, most)
    yield progress
    progress.finish()


def _artifact_id(created: object) -> UUID:
    if not isinstance(created, UUID):
        message = "flows call artifacts without an event loop of their own"
        raise TypeError(message)
    return created


def _title(stage: Callable[..., Any]) -> str:
    return stage.__name__.replace("_", " ")


def publish_summary(
    key: str,
    title: str,
    result: Mapping[str, Any],
    picture: Sequence[tuple[str, float | None]] = (),
) -> None:
    """Show a flow's result as a Markdown artifact: a picture of shares, then every value."""
    create_markdown_artifact(key=key, markdown=render_summary(title, result, picture))


def render_summary(
    title: str, result: Mapping[str, Any], picture: Sequence[tuple[str, float | None]] = ()
) -> str:
    """A result as Markdown in which no value can act as markup."""
    lines = [f"# {title}", ""]
    if result.get("simulated"):
        lines += [SIMULATED, ""]
    if picture:
        lines += ["| | | success |", "| --- | --- | ---: |"]
        lines += [
            f"| {escape(name)} | {_bar(share)} | {_percent(share)} |" for name, share in picture
        ]
        lines.append("")
    lines += ["| | |", "| --- | --- |"]
    lines += [f"| {escape(name)} | {escape(_short(value))} |" for name, value in result.items()]
    return "\n".join(lines)


def _bar(share: float | None) -> str:
    filled = round(BAR_WIDTH * (share or 0.0))
    return "█" * filled + "░" * (BAR_WIDTH - filled)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def publish_table(key: str, rows: Sequence[Mapping[str, Any]], description: str) -> None:
    """Show rows as a table artifact; an empty table is left out."""
    if rows:
        table = [{name: plain(_short(value)) for name, value in row.items()} for row in rows]
        create_table_artifact(key=key, table=table, description=description)


def publish_evaluation(key: str, title: str, result: Mapping[str, Any]) -> None:
    """Show an evaluation: a picture of its cells, and its contrasts as a table."""
    tables = ("cells", "contrasts", "summaries", "card")
    rest = {name: value for name, value in result.items() if name not in tables}
    picture = [
        (f"{cell['model']} in {cell['harness_id']}, {cell['split']}", cell["success"])
        for cell in result["cells"][:MAX_LISTED]
    ]
    publish_summary(key, title, rest, picture)
    publish_table(f"{key}-contrasts", result["contrasts"], "Paired differences")


def plain(text: str) -> str:
    """Bounded text on one line without hidden characters."""
    flat = _HIDDEN.sub(" ", text[: 4 * MAX_TEXT])
    return flat if len(flat) <= MAX_TEXT else f"{flat[: MAX_TEXT - 1]}…"


def escape(text: str) -> str:
    """Take the meaning out of what Markdown or HTML could read as markup."""
    safe = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(r"\\\1", safe).replace("://", ":&#47;&#47;")


def _short(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_short(item)}" for key, item in list(value.items())[:MAX_LISTED])
    if isinstance(value, list):
        more = f" and {len(value) - MAX_LISTED} more" if len(value) > MAX_LISTED else ""
        return "; ".join(_short(item) for item in value[:MAX_LISTED]) + more
    if isinstance(value, float):
        return f"{value:.4g}"
    return "-" if value is None else str(value)
