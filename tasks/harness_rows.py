"""Harnesses and tasks as rows."""

from collections.abc import Iterable

from schemas.fields import Row
from schemas.harness import HarnessArtifactRow, HarnessFileRow, HarnessVersionRow
from schemas.ids import canonical_json
from schemas.trajectories import TaskRow
from tasks.agent.protocols import Environment, Task
from tasks.harness import Harness
from tasks.harness.text import sha256_hex


def harness_rows(harness: Harness) -> list[Row]:
    """Version, files and artifacts of one harness."""
    harness_id = harness.harness_id
    version = HarnessVersionRow(
        harness_id=harness_id,
        environment=harness.environment,
        api=harness.api,
        layers=canonical_json(list(harness.layers)),
        delivery=harness.delivery,
    )
    files = [
        HarnessFileRow(harness_id=harness_id, path=path, sha256=sha256_hex(text), text=text)
        for path, text in harness.content_files.items()
    ]
    artifacts = [
        HarnessArtifactRow(
            harness_id=harness_id,
            artifact_id=artifact.artifact_id,
            layer=artifact.layer,
            name=artifact.name,
            path=artifact.path,
            description=artifact.description,
            body=artifact.body,
        )
        for artifact in harness.artifacts
    ]
    return [version, *files, *artifacts]


def task_rows(environment: Environment, tasks: Iterable[Task]) -> list[TaskRow]:
    """Rows of an environment's tasks."""
    return [
        TaskRow(
            environment=environment.name,
            task_id=task.task_id,
            family=task.family,
            split=task.split,
            text=task.text,
            environment_fingerprint=environment.fingerprint,
        )
        for task in tasks
    ]
