"""Fault rates of the household by family and tier, and which texts each fault listens to.

Each layer rules a family: calls written as prose (actions, `pick_and_place`), a second item while
one is in hand (contract, `two_objects`), a treatment left out (skills, `clean_and_place`), a search
that goes to and fro (regulation, `look_under_lamp`). The other two mix them. `wrong_object` has
no cure.
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

_PROMPT: Mapping[Source, float] = {**PROMPT, "skill": 0.6}

KINDS: tuple[FaultKind, ...] = (
    FaultKind(
        "repetition",
        rates(
            look_under_lamp=(0.10, 0.11, 0.11),
            heat_and_place=(0.04, 0.05, 0.05),
            cool_and_place=(0.03, 0.04, 0.04),
        ),
        HINT,
    ),
    FaultKind(
        "search_loop",
        rates(look_under_lamp=(0.55, 0.58, 0.62), heat_and_place=(0.06, 0.08, 0.08)),
        HINT,
    ),
    FaultKind("second_item", rates(two_objects=(0.95, 0.92, 0.85)), _PROMPT),
    FaultKind(
        "closed_place",
        rates(
            cool_and_place=(0.42, 0.42, 0.42),
            heat_and_place=(0.12, 0.12, 0.12),
            two_objects=(0.06, 0.06, 0.06),
        ),
        _PROMPT,
    ),
    FaultKind("skipped_clean", rates(clean_and_place=(0.62, 0.66, 0.70)), SKILL),
    FaultKind("skipped_heat", rates(heat_and_place=(0.34, 0.34, 0.30)), SKILL),
    FaultKind("skipped_cool", rates(cool_and_place=(0.26, 0.26, 0.24)), SKILL),
    FaultKind("wrong_object", {"*": {"weak": 0.11, "mid": 0.08, "strong": 0.10}}),
    FaultKind(
        "wrong_take",
        rates(pick_and_place=(0.12, 0.13, 0.12), heat_and_place=(0.09, 0.10, 0.09)),
        WEAK_IN_PROMPT,
    ),
    FaultKind(
        "wrong_move",
        rates(pick_and_place=(0.22, 0.23, 0.20), cool_and_place=(0.18, 0.20, 0.18)),
        WEAK_IN_PROMPT,
    ),
    FaultKind(
        "loose_command",
        rates(pick_and_place=(0.04, 0.05, 0.04), heat_and_place=(0.05, 0.06, 0.05)),
        WEAK_IN_PROMPT,
    ),
    FaultKind(
        "prose_call",
        rates(pick_and_place=(0.15, 0.16, 0.18), heat_and_place=(0.03, 0.03, 0.03)),
        NO_CURE_IN_TEXT,
    ),
)
