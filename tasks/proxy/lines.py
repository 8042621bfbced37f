"""A request as one line of a journal: what is needed to tell it again, secrets left out."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pydantic import TypeAdapter, ValidationError

from schemas.traffic import Mode, TrafficArm
from tasks.proxy.records import Account
from tasks.proxy.service import Exchanged


class Redacts(Protocol):
    """Whatever takes secrets out of a JSON value."""

    def value(self, value: object, name: str = "") -> object:
        """The value without secrets."""
        ...


@dataclass(frozen=True)
class Line:
    """One request; fields as in `Exchanged`, harnesses by id.

    Attributes:
        acts: whether the harness changed anything.
        harness_id: harness of the arm.
        treatment_id: harness that is tried or in force.
        control_id: harness of the other arm; null when it passes everything unchanged.
    """

    conversation: str
    before: str | None
    after: str | None
    session: str
    form: str
    model: str
    environment: str
    mode: Mode
    arm: TrafficArm
    propensity: float
    acts: bool
    harness_id: str
    treatment_id: str
    control_id: str | None
    status: int
    at: datetime
    account: Account


_LINE = TypeAdapter(Line)


def line_of(kept: Exchanged) -> Line:
    """What of a request goes into the journal."""
    policy, given = kept.policy, kept.assignment
    return Line(
        conversation=kept.conversation,
        before=kept.before,
        after=kept.after,
        session=kept.session,
        form=kept.form,
        model=kept.model,
        environment=policy.treatment.environment,
        mode=policy.mode,
        arm=given.arm,
        propensity=given.propensity,
        acts=given.acts,
        harness_id=given.harness.harness_id,
        treatment_id=policy.treatment.harness_id,
        control_id=policy.control.harness_id if policy.control else None,
        status=kept.status,
        at=kept.at,
        account=kept.account,
    )


def write_line(line: Line, redactor: Redacts) -> bytes:
    """Render a line, its end included."""
    value = redactor.value(_LINE.dump_python(line, mode="json"))
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def read_line(text: bytes) -> Line | None:
    """Read a line; null when it is none, such as the last one of a process that was killed."""
    try:
        return _LINE.validate_json(text)
    except ValidationError:
        return None
