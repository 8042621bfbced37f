"""Fault rates of the desk by family and tier, and which texts each fault listens to.

Four families are each ruled by faults that one layer cures: answers written as sentences and
glued statements (contract), skipped look-ups (skills), calls written as prose (actions), going
round in circles (regulation). The other two mix them. `wrong_value` has no cure.
"""

from tasks.agent.simulated_world import FaultKind
from tasks.environments.embedded.faults import (
    HINT,
    NO_CURE_IN_TEXT,
    PROMPT,
    SKILL,
    WEAK_IN_PROMPT,
    rates,
)

KINDS: tuple[FaultKind, ...] = (
    FaultKind(
        "repetition",
        rates(update_value=(0.44, 0.46, 0.24), update_coded=(0.12, 0.10, 0.05)),
        HINT,
    ),
    FaultKind(
        "early_commit",
        rates(insert_row=(0.09, 0.10, 0.05), update_coded=(0.05, 0.05, 0.03)),
        WEAK_IN_PROMPT,
    ),
    FaultKind(
        "skipped_lookup",
        rates(insert_coded=(0.64, 0.60, 0.34), update_coded=(0.42, 0.38, 0.22)),
        SKILL,
    ),
    FaultKind(
        "wrong_value",
        {
            "*": {"weak": 0.16, "mid": 0.05, "strong": 0.04},
        },
    ),
    FaultKind(
        "done_without_final",
        rates(insert_row=(0.17, 0.18, 0.09), update_coded=(0.13, 0.13, 0.07)),
        {"system": 0.8, "tools": 0.6, "skill": 0.6, "recent": 1.0},
    ),
    FaultKind(
        "answer_sentence",
        rates(select_aggregate=(0.50, 0.46, 0.22)),
        PROMPT,
    ),
    FaultKind(
        "answers_string",
        rates(insert_row=(0.12, 0.13, 0.07), update_coded=(0.05, 0.05, 0.03)),
        PROMPT,
    ),
    FaultKind(
        "two_statements",
        rates(
            select_aggregate=(0.30, 0.27, 0.15),
            insert_row=(0.12, 0.10, 0.05),
            update_coded=(0.10, 0.08, 0.04),
        ),
        PROMPT,
    ),
    FaultKind(
        "unquoted_identifier",
        rates(insert_row=(0.17, 0.19, 0.10), update_coded=(0.10, 0.10, 0.05)),
        WEAK_IN_PROMPT,
    ),
    FaultKind(
        "aliased_call",
        rates(insert_row=(0.08, 0.06, 0.02), update_coded=(0.06, 0.05, 0.02)),
        WEAK_IN_PROMPT,
    ),
    FaultKind(
        "prose_call",
        rates(
            select_lookup=(0.30, 0.34, 0.22),
            insert_row=(0.06, 0.05, 0.02),
        ),
        NO_CURE_IN_TEXT,
    ),
)
