"""Fault rates of the desk by family and tier, and which texts each fault listens to.

Four families are each ruled by faults that one layer cures: answers written as sentences and
glued statements (contract), skipped look-ups (skills), calls written as prose (actions), going
round in circles (regulation). The other two mix them. `wrong_value` has no cure.
"""

from collections.abc import Mapping

from tasks.agent.simulated_world import FaultKind, Source, Tier

_PROMPT: Mapping[Source, float] = {"system": 1.0, "tools": 1.0, "skill": 1.0, "recent": 1.0}
_WEAK_IN_PROMPT: Mapping[Source, float] = {
    "system": 0.4,
    "tools": 0.4,
    "skill": 0.4,
    "recent": 1.0,
}


def _rates(**families: tuple[float, float, float]) -> dict[str, dict[Tier, float]]:
    return {
        family: {"weak": weak, "mid": mid, "strong": strong}
        for family, (weak, mid, strong) in families.items()
    }


KINDS: tuple[FaultKind, ...] = (
    FaultKind(
        "repetition",
        _rates(update_value=(0.44, 0.46, 0.24), update_coded=(0.12, 0.10, 0.05)),
        {"recent": 1.0},
    ),
    FaultKind(
        "early_commit",
        _rates(insert_row=(0.09, 0.10, 0.05), update_coded=(0.05, 0.05, 0.03)),
        _WEAK_IN_PROMPT,
    ),
    FaultKind(
        "skipped_lookup",
        _rates(insert_coded=(0.64, 0.60, 0.34), update_coded=(0.42, 0.38, 0.22)),
        {"skill": 1.0, "system": 0.3, "tools": 0.3, "recent": 0.6},
    ),
    FaultKind(
        "wrong_value",
        {
            "*": {"weak": 0.16, "mid": 0.05, "strong": 0.04},
        },
    ),
    FaultKind(
        "done_without_final",
        _rates(insert_row=(0.17, 0.18, 0.09), update_coded=(0.13, 0.13, 0.07)),
        {"system": 0.8, "tools": 0.6, "skill": 0.6, "recent": 1.0},
    ),
    FaultKind(
        "answer_sentence",
        _rates(select_aggregate=(0.50, 0.46, 0.22)),
        _PROMPT,
    ),
    FaultKind(
        "answers_string",
        _rates(insert_row=(0.12, 0.13, 0.07), update_coded=(0.05, 0.05, 0.03)),
        _PROMPT,
    ),
    FaultKind(
        "two_statements",
        _rates(
            select_aggregate=(0.30, 0.27, 0.15),
            insert_row=(0.12, 0.10, 0.05),
            update_coded=(0.10, 0.08, 0.04),
        ),
        _PROMPT,
    ),
    FaultKind(
        "unquoted_identifier",
        _rates(insert_row=(0.17, 0.19, 0.10), update_coded=(0.10, 0.10, 0.05)),
        _WEAK_IN_PROMPT,
    ),
    FaultKind(
        "aliased_call",
        _rates(insert_row=(0.08, 0.06, 0.02), update_coded=(0.06, 0.05, 0.02)),
        _WEAK_IN_PROMPT,
    ),
    FaultKind(
        "prose_call",
        _rates(
            select_lookup=(0.30, 0.34, 0.22),
            insert_row=(0.06, 0.05, 0.02),
        ),
        {"system": 1.0, "tools": 1.0},
    ),
)
