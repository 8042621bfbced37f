"""How flows call stages: each as one Prefect task with a small persisted result."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from prefect import task
from prefect.artifacts import create_markdown_artifact, create_table_artifact

MAX_LISTED = 20


def as_task(stage: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a stage; its persisted result lets a retried flow go on where it stopped."""
    return task(stage, name=stage.__name__.replace("_", " "), persist_result=True)


def publish_summary(key: str, title: str, result: Mapping[str, Any]) -> None:
    """Show a flow's result as a Markdown artifact: one line a value, lists cut short."""
    lines = [f"# {title}", ""]
    for name, value in result.items():
        lines.append(f"- **{escape(name)}**: {escape(_short(value))}")
    create_markdown_artifact(key=key, markdown="\n".join(lines))


def publish_table(key: str, rows: Sequence[Mapping[str, Any]], description: str) -> None:
    """Show rows as a table artifact; an empty table is left out."""
    if rows:
        table = [{name: _short(value) for name, value in row.items()} for row in rows]
        create_table_artifact(key=key, table=table, description=description)


def escape(text: str) -> str:
    """Take the meaning out of what Markdown or HTML could read as markup."""
    for mark in "\\`*_[]()#|~!":
        text = text.replace(mark, f"\\{mark}")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", " ")


def _short(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_short(item)}" for key, item in list(value.items())[:MAX_LISTED])
    if isinstance(value, list):
        more = f" and {len(value) - MAX_LISTED} more" if len(value) > MAX_LISTED else ""
        return "; ".join(_short(item) for item in value[:MAX_LISTED]) + more
    if isinstance(value, float):
        return f"{value:.4g}"
    return "–" if value is None else str(value)
