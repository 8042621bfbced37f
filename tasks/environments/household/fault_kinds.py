"""Fault rates of the household by family and tier, and which texts each fault listens to.

Each layer rules a family: calls written as prose (actions, `pick_and_place`), a second item while
one is in hand (contract, `two_objects`), a treatment left out (skills, `clean_and_place`), a search
that goes to and fro (regulation, `look_under_lamp`). The other two mix them. `wrong_object` has
no cure.
"""

from collections.abc import Mapping

from tasks.agent.simulated_world import FaultKind, Source, Tier

_PROMPT: Mapping[Source, float] = {"system": 1.0, "tools": 1.0, "skill": 0.6, "recent": 1.0}
_WEAK_IN_PROMPT: Mapping[Source, float] = {
    "system": 0.4,
    "tools": 0.4,
    "skill": 0.4,
    "recent": 1.0,
}
_SKILL: Mapping[Source, float] = {"skill": 1.0, "system": 0.3, "tools": 0.3, "recent": 0.6}
_HINT: Mapping[Source, float] = {"recent": 1.0}


def _rates(**families: tuple[float, float, float]) -> dict[str, dict[Tier, float]]:
    return {
        family: {"weak": weak, "mid": mid, "strong": strong}
        for family, (weak, mid, strong) in families.items()
    }


KINDS: tuple[FaultKind, ...] = (
    FaultKind(
        "repetition",
        _rates(
            look_under_lamp=(0.10, 0.11, 0.11),
            heat_and_place=(0.04, 0.05, 0.05),
            cool_and_place=(0.03, 0.04, 0.04),
        ),
        _HINT,
    ),
    FaultKind(
        "search_loop",
        _rates(look_under_lamp=(0.55, 0.58, 0.62), heat_and_place=(0.06, 0.08, 0.08)),
        _HINT,
    ),
    FaultKind("second_item", _rates(two_objects=(0.95, 0.92, 0.85)), _PROMPT),
    FaultKind(
        "closed_place",
        _rates(
            cool_and_place=(0.42, 0.42, 0.42),
            heat_and_place=(0.12, 0.12, 0.12),
            two_objects=(0.06, 0.06, 0.06),
        ),
        _PROMPT,
    ),
    FaultKind("skipped_clean", _rates(clean_and_place=(0.62, 0.66, 0.70)), _SKILL),
    FaultKind("skipped_heat", _rates(heat_and_place=(0.34, 0.34, 0.30)), _SKILL),
    FaultKind("skipped_cool", _rates(cool_and_place=(0.26, 0.26, 0.24)), _SKILL),
    FaultKind("wrong_object", {"*": {"weak": 0.11, "mid": 0.08, "strong": 0.10}}),
    FaultKind(
        "wrong_take",
        _rates(pick_and_place=(0.12, 0.13, 0.12), heat_and_place=(0.09, 0.10, 0.09)),
        _WEAK_IN_PROMPT,
    ),
    FaultKind(
        "wrong_move",
        _rates(pick_and_place=(0.22, 0.23, 0.20), cool_and_place=(0.18, 0.20, 0.18)),
        _WEAK_IN_PROMPT,
    ),
    FaultKind(
        "loose_command",
        _rates(pick_and_place=(0.04, 0.05, 0.04), heat_and_place=(0.05, 0.06, 0.05)),
        _WEAK_IN_PROMPT,
    ),
    FaultKind(
        "prose_call",
        _rates(pick_and_place=(0.15, 0.16, 0.18), heat_and_place=(0.03, 0.03, 0.03)),
        {"system": 1.0, "tools": 1.0},
    ),
)
