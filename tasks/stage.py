"""A stage of a cycle: it runs once, and its rows and its being done become durable together."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar

from schemas.ids import canonical_json
from schemas.plans import CyclePlan, Plan
from schemas.runs import StageEventRow
from tasks.agent.run_limits import limited, run_limits
from tasks.progress import in_stage
from tasks.run_caps import limits_of
from tasks.workbench import Workbench

NEW_OBJECTS_PER_COLLECTION = 100_000
P = ParamSpec("P")
R = TypeVar("R", bound=Plan)


def stage(
    result: type[R],
) -> Callable[
    [Callable[Concatenate[Workbench, CyclePlan, P], R]], Callable[Concatenate[CyclePlan, P], R]
]:
    """Make a body `(bench, plan, ...)` a stage `(plan, ...)`.

    The stage and its further arguments name one piece of work of a cycle. When that is done
    already, its recorded result is returned. Else the body runs; whatever it landed is taken in
    together with the event that says so, so a killed stage is repeated as a whole; so is one in
    which the cap of the run was reached, whatever its body made of that.
    """

    def decorate(
        body: Callable[Concatenate[Workbench, CyclePlan, P], R],
    ) -> Callable[Concatenate[CyclePlan, P], R]:
        @wraps(body)
        def run(plan: CyclePlan, *args: P.args, **kwargs: P.kwargs) -> R:
            bench = Workbench.open()
            key = ":".join([body.__name__, *map(str, args)])
            recorded = _recorded(bench, plan.cycle_id, key)
            if recorded is not None:
                return result.model_validate_json(recorded)
            titled = in_stage(_title(body, bench, plan, args, kwargs))
            with titled, limited(limits_of(bench.settings)), rare_collections():
                outcome = body(bench, plan, *args, **kwargs)
                run_limits().spending.require_room()
                bench.land([_done(bench, plan.cycle_id, key, outcome)], key)
                bench.commit()
            return outcome

        # Prefect binds a task's arguments by this; the body's own has the workbench as well.
        bare = signature(body)
        parameters = list(bare.parameters.values())[1:]
        vars(run)["__signature__"] = bare.replace(parameters=parameters)
        return run

    return decorate


def _title(body: Callable[..., object], bench: Workbench, plan: CyclePlan, *arguments: Any) -> str:
    """The stage in words, with what tells its repetitions in one cycle apart."""
    args, kwargs = arguments
    given = signature(body).bind(bench, plan, *args, **kwargs).arguments
    title = body.__name__.replace("_", " ").removesuffix(" round")
    if "round_number" in given:
        return f"{title}, round {given['round_number']}"
    return f"{title}, {given['purpose']}" if "purpose" in given else title


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for garbage less often in the block.

    A stage makes millions of rows and hardly a cycle among them; at the interpreter's own
    threshold a tenth of its time goes into looking.
    """
    before = gc.get_threshold()
    gc.set_threshold(NEW_OBJECTS_PER_COLLECTION, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _recorded(bench: Workbench, cycle_id: str, key: str) -> str | None:
    with bench.warehouse.read() as reader:
        events = reader.rows(
            StageEventRow, "cycle_id = ? AND stage = ? AND state = 'done'", [cycle_id, key]
        )
    return events[-1].detail if events else None


def _done(bench: Workbench, cycle_id: str, key: str, outcome: Plan) -> StageEventRow:
    return StageEventRow(
        cycle_id=cycle_id,
        stage=key,
        state="done",
        detail=canonical_json(outcome.model_dump(mode="json")),
        created_at=bench.now,
    )
