"""What production says of a harness: two drawn arms compared, at any time and as often as liked.

One outcome counts for each session, that of its first conversation. Sessions are read in the order
in which they started; the evidence does not depend on it (`tasks/statistics/arm_evidence.py`), so
an outcome that comes late counts from when it comes. Each look at new outcomes is a row, and the
first that decides stands, whatever later sessions bring.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

from schemas.errors import ConfigError, DataContractError
from schemas.ids import canonical_json, make_id, sha256_hex
from schemas.releases import ProductionVerdictRow
from tasks.statistics.arm_evidence import Session, tally
from tasks.statistics.two_arms import TwoArmVerdict, judge
from tasks.workbench import Workbench
from warehouse.harness_store import resolve_harness
from warehouse.reader import Reader

Arm = Literal["treatment", "control"]
ARMS: tuple[Arm, Arm] = ("treatment", "control")
LOPSIDED = 3.0
"""Standard errors by which the shares of unknown outcomes may differ between the arms."""
# A propensity of 0 or 1 draws nothing, and says nothing about a difference.
_SESSIONS = """
SELECT s.trajectory_id, s.arm, s.propensity, s.treatment_harness_id, s.control_harness_id,
       if(o.disputed, 'unknown', o.outcome) AS outcome
FROM traffic_sessions AS s
JOIN trajectory_outcomes AS o ON o.trajectory_id = s.trajectory_id
WHERE s.environment = ? AND s.mode = 'split' AND s.propensity > 0 AND s.propensity < 1
QUALIFY row_number() OVER (
    PARTITION BY s.session, s.treatment_harness_id, s.control_harness_id
    ORDER BY s.started_at, s.trajectory_id
) = 1
ORDER BY s.started_at, s.trajectory_id
"""
_SKEWED = (
    "the sessions that count are not split as they were drawn, so nothing is decided: propensities "
    "are logged wrongly, or the arm changes whose outcome becomes known"
)
Pair = tuple[str, str | None]


@dataclass(frozen=True)
class _Drawn:
    """One session: its conversation, its arm, the chance it had of it, and what came of it."""

    trajectory_id: str
    arm: str
    propensity: float
    pair: Pair
    outcome: str

    @property
    def session(self) -> Session:
        """As the statistics read it; only when the outcome is known."""
        is_treated = self.arm == "treatment"
        chance = self.propensity if is_treated else 1 - self.propensity
        return Session(is_treated, self.outcome == "success", round(chance, 9))


def judge_production(environment: str, word: str = "", alpha: float = 0.05) -> dict[str, Any]:
    """Compare the arms of an environment's newest comparison, or of the one of a harness.

    Raises:
        ConfigError: alpha is no chance, or no comparison is of the harness that is named.
        DataContractError: no session of the environment was given an arm by chance.
    """
    if not 0 < alpha < 1:
        what = f"--alpha is a chance between 0 and 1; got {alpha:g}"
        raise ConfigError(what, hint="0.05 is usual")
    bench = Workbench.open()
    with bench.warehouse.read() as reader:
        drawn = [
            _Drawn(str(row[0]), str(row[1]), float(row[2]), (row[3], row[4]), str(row[5]))
            for row in reader.frame(_SESSIONS, [environment]).iter_rows()
        ]
        if not drawn:
            what = f"no session of `{environment[:60]}` was given an arm by chance"
            raise DataContractError(
                what, hint="run a proxy in mode split, then `tackroom runtime land`"
            )
        pair = _chosen(reader, drawn, word, environment)
    members = [one for one in drawn if one.pair == pair]
    verdict = judge(tally(one.session for one in members if one.outcome != "unknown"), alpha)
    row = _row(bench, environment, pair, alpha, members, verdict)
    earlier = _earlier(bench, row)
    if row.verdict_id not in {one.verdict_id for one in earlier}:
        bench.land([row], "production_verdict")
        bench.commit()
    looks = sorted([*earlier, row], key=lambda one: (one.created_at, one.verdict_id))
    decided = next((one for one in looks if one.outcome != "undecided"), None)
    notes = [_SKEWED] if verdict.is_skewed else []
    return _told(row, decided, len({one.pair for one in drawn}) - 1, notes)


def _chosen(reader: Reader, drawn: Sequence[_Drawn], word: str, environment: str) -> Pair:
    """The pair of arms that is meant: the newest, or the newest in which the harness is tried."""
    if not word:
        return drawn[-1].pair
    harness_id = resolve_harness(reader, word, environment=environment)
    for one in reversed(drawn):
        if one.pair[0] == harness_id:
            return one.pair
    what = f"harness {harness_id} is tried in no session of `{environment}`"
    raise ConfigError(what, hint=f"the newest that is tried is {drawn[-1].pair[0]}")


def _row(
    bench: Workbench,
    environment: str,
    pair: Pair,
    alpha: float,
    members: Sequence[_Drawn],
    verdict: TwoArmVerdict,
) -> ProductionVerdictRow:
    read = sorted([one.trajectory_id, one.arm, one.propensity, one.outcome] for one in members)
    key = [environment, *pair, alpha, sha256_hex(canonical_json(read))]
    unknown = {
        arm: sum(one.arm == arm and one.outcome == "unknown" for one in members) for arm in ARMS
    }
    return ProductionVerdictRow(
        verdict_id=make_id("pver", key),
        environment=environment,
        treatment_harness_id=pair[0],
        control_harness_id=pair[1],
        alpha=alpha,
        outcome=verdict.outcome,
        e_better=verdict.e_better,
        e_worse=verdict.e_worse,
        threshold=verdict.threshold,
        treated=verdict.treated,
        treated_successes=verdict.treated_successes,
        controls=verdict.controls,
        control_successes=verdict.control_successes,
        treated_unknown=unknown["treatment"],
        control_unknown=unknown["control"],
        difference=verdict.difference,
        difference_lo=verdict.lo,
        difference_hi=verdict.hi,
        resolvable=verdict.resolvable,
        created_at=bench.now,
    )


def _earlier(bench: Workbench, row: ProductionVerdictRow) -> list[ProductionVerdictRow]:
    """Looks at the same comparison before."""
    where = "environment = ? AND treatment_harness_id = ? AND alpha = ?"
    where += " AND control_harness_id IS NOT DISTINCT FROM ?"
    given = [row.environment, row.treatment_harness_id, row.alpha, row.control_harness_id]
    with bench.warehouse.read() as reader:
        return reader.rows(ProductionVerdictRow, where, given)


def _told(
    row: ProductionVerdictRow,
    decided: ProductionVerdictRow | None,
    others: int,
    notes: Sequence[str],
) -> dict[str, Any]:
    """The look as a record; its outcome is that of the first look that decided."""
    values = row.model_dump(mode="json")
    first = None
    if decided is not None:
        values["outcome"] = decided.outcome
        kept = ("verdict_id", "outcome", "e_better", "e_worse", "treated", "controls", "created_at")
        first = {
            name: value for name, value in decided.model_dump(mode="json").items() if name in kept
        }
    return values | {
        "e_value": max(row.e_better, row.e_worse),
        "decided": first,
        "other_comparisons": others,
        "notes": [*notes, *_notes(row)],
    }


def _notes(row: ProductionVerdictRow) -> list[str]:
    known, other = row.treated, row.controls
    missing, lacking = row.treated_unknown, row.control_unknown
    total, rest = known + missing, other + lacking
    if not total or not rest:
        return ["one arm has no session yet"]
    pooled = (missing + lacking) / (total + rest)
    error = sqrt(pooled * (1 - pooled) * (1 / total + 1 / rest))
    share, usual = missing / total, lacking / rest
    if error and abs(share - usual) > LOPSIDED * error:
        return [
            f"outcomes are unknown for {share:.1%} of the treated and {usual:.1%} of the others: "
            "when the arm changes whether an outcome becomes known, the comparison is not sound"
        ]
    return []
