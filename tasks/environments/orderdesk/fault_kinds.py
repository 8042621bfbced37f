"""Fault rates of the desk by family and tier, and which texts each fault listens to.

Each layer rules a family: lists that do not match and cards that do not cover (contract,
`exchange_listed`), a version guessed instead of looked up (skills, `exchange_described`), calls and
speech written as prose (actions, `track_order`), going round in circles (regulation, `find_order`).
The other two mix them: changes that nobody agreed to, reasons the shop does not know, refusals
without a look, needless hand-overs. `wrong_choice` has no cure.
"""

from collections.abc import Mapping

from tasks.agent.simulated_world import FaultKind, Source
from tasks.environments.embedded.faults import (
    HINT,
    NO_CURE_IN_TEXT,
    PROMPT,
    SKILL,
    WEAK_IN_PROMPT,
    rates,
)

_MOSTLY: Mapping[Source, float] = {"system": 0.6, "tools": 0.6, "skill": 0.6, "recent": 1.0}

KINDS: tuple[FaultKind, ...] = (
    FaultKind(
        "repetition",
        rates(
            find_order=(0.17, 0.12, 0.10),
            cancel_order=(0.03, 0.02, 0.02),
            refuse_change=(0.04, 0.03, 0.02),
        ),
        HINT,
    ),
    FaultKind("early_refusal", rates(refuse_change=(0.42, 0.28, 0.22)), SKILL),
    FaultKind("guessed_version", rates(exchange_described=(0.62, 0.44, 0.34)), SKILL),
    FaultKind(
        "needless_handover",
        rates(exchange_listed=(0.16, 0.12, 0.08), refuse_change=(0.18, 0.14, 0.09)),
        PROMPT,
    ),
    FaultKind(
        "unasked_change",
        rates(cancel_order=(0.42, 0.28, 0.22)),
        _MOSTLY,
    ),
    FaultKind("wrong_choice", {"*": {"weak": 0.13, "mid": 0.05, "strong": 0.05}}),
    FaultKind("uneven_lists", rates(exchange_listed=(0.46, 0.32, 0.24)), PROMPT),
    FaultKind("small_card", rates(exchange_listed=(0.36, 0.26, 0.20)), PROMPT),
    FaultKind("unknown_reason", rates(cancel_order=(0.34, 0.22, 0.18)), PROMPT),
    FaultKind(
        "misnamed_argument",
        rates(track_order=(0.10, 0.10, 0.05), cancel_order=(0.04, 0.04, 0.02)),
        WEAK_IN_PROMPT,
    ),
    FaultKind(
        "prose_call",
        rates(
            track_order=(0.16, 0.13, 0.11),
            cancel_order=(0.03, 0.03, 0.02),
            refuse_change=(0.03, 0.03, 0.02),
        ),
        NO_CURE_IN_TEXT,
    ),
)
