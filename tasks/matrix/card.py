"""The card of an evaluation: how its numbers came about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from schemas.episode import Episode
from schemas.evaluation import EvaluationCardRow, Protocol
from schemas.fields import Split
from schemas.ids import canonical_json, make_id
from tasks.agent.offers import noise_of
from tasks.agent.protocols import Environment, Model
from tasks.agent.sampling import sampling_of
from tasks.matrix.cells import Arm, Cell, Matrix

SPLITS: tuple[Split, ...] = ("train", "select", "sealed")


@dataclass(frozen=True)
class Order:
    """An evaluation that is asked for, every word of it resolved.

    Attributes:
        used: how many tasks of a split are scored, by environment and split.
        trials: trials of each task, where a model does not always reply alike.
        asked: what the user filled in, which goes into the id of the inputs.
        words: the word a harness was named by, by id.
        cycles: cycles that made the harnesses.
    """

    protocol: Protocol
    matrix: Matrix
    environments: Mapping[str, Environment]
    models: Mapping[Arm, Model]
    used: Mapping[tuple[str, Split], int]
    trials: int
    seed: int
    asked: Mapping[str, Any]
    release: str
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    cycles: Sequence[Mapping[str, str]] = ()

    @property
    def inputs(self) -> dict[str, Any]:
        """Everything that determines the numbers."""
        environments = {name: one.fingerprint for name, one in self.environments.items()}
        return {
            "protocol": self.protocol,
            "asked": dict(self.asked),
            "environments": environments,
            "models": {arm.name: model.fingerprint for arm, model in self.models.items()},
            "cells": [_cell_key(cell) for cell in self.matrix.cells],
            "contrasts": [
                [one.kind, one.subject, _cell_key(one.old), _cell_key(one.new)]
                for one in self.matrix.contrasts
            ],
            "release": self.release,
        }

    @property
    def inputs_id(self) -> str:
        """Hash of the inputs."""
        return make_id("inputs", self.inputs)


def card_row(
    order: Order, episodes: Mapping[Cell, Sequence[Episode]], now: datetime
) -> EvaluationCardRow:
    """The card of an evaluation that has been run."""
    every = {one.trajectory_id: one for members in episodes.values() for one in members}
    models = order.models.values()
    return EvaluationCardRow(
        card_id=make_id("card", [order.inputs_id, sorted(every)]),
        inputs_id=order.inputs_id,
        protocol=order.protocol,
        simulated=any(model.is_simulated for model in models),
        models=canonical_json([_model(model) for model in models]),
        harnesses=canonical_json(
            [
                {
                    "harness_id": harness_id,
                    "environment": harness.environment,
                    "word": order.words.get(harness_id, ""),
                    "layers": list(harness.layers),
                }
                for harness_id, harness in order.matrix.harnesses.items()
            ]
        ),
        loops=canonical_json(list(dict.fromkeys(arm.loop for arm in order.models))),
        pools=canonical_json(_pools(order)),
        step_budgets=canonical_json(
            {name: one.step_budget for name, one in order.environments.items()}
        ),
        noise=canonical_json(
            {name: noise for name, one in order.environments.items() if (noise := noise_of(one))}
        ),
        trials=order.trials,
        seed=order.seed,
        source=order.matrix.source,
        cycles=canonical_json([dict(one) for one in order.cycles]),
        cells=len(order.matrix.cells),
        episodes=len(every),
        faults=sum(one.trajectory.fault is not None for one in every.values()),
        inputs=canonical_json(order.inputs),
        release=order.release,
        created_at=now,
    )


def _cell_key(cell: Cell) -> list[str]:
    return [cell.environment, cell.arm.name, cell.harness_id, cell.split]


def _model(model: Model) -> dict[str, Any]:
    return {
        "model": model.name,
        "fingerprint": model.fingerprint,
        "simulated": model.is_simulated,
        "deterministic": model.is_deterministic,
        "sampling": sampling_of(model),
    }


def _pools(order: Order) -> list[dict[str, Any]]:
    """Tasks there are, used here, and held out, by environment and split."""
    return [
        {
            "environment": name,
            "fingerprint": environment.fingerprint,
            "split": split,
            "raw": (raw := len(environment.tasks(split))),
            "used": (used := order.used.get((name, split), 0)),
            "held_out": raw - used,
        }
        for name, environment in order.environments.items()
        for split in SPLITS
    ]
