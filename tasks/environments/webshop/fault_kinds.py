"""Fault rates of the web shop by family and tier, and which texts each fault listens to.

Each layer rules a family: searches that hold a price or a feature (contract, `price_limit`),
options not chosen (skills, `with_options`), calls as prose and elements misnamed (actions,
`named_item`), the same pages opened to and fro (regulation, `look_alikes`). The other two mix them
with purchases made too early. `wrong_choice` has no cure.
"""

from collections.abc import Mapping

from tasks.agent.simulated_world import FaultKind, Source
from tasks.environments.embedded.faults import (
    HINT,
    NO_CURE_IN_TEXT,
    PROMPT,
    SKILL,
    rates,
)

_MOSTLY: Mapping[Source, float] = {"system": 0.6, "tools": 0.6, "skill": 0.6, "recent": 1.0}

KINDS: tuple[FaultKind, ...] = (
    FaultKind(
        "repetition",
        rates(look_alikes=(0.03, 0.03, 0.02), options_and_price=(0.04, 0.04, 0.02)),
        HINT,
    ),
    FaultKind(
        "search_loop",
        rates(look_alikes=(0.44, 0.42, 0.30), feature_and_price=(0.16, 0.15, 0.09)),
        HINT,
    ),
    FaultKind(
        "loaded_search",
        rates(
            price_limit=(0.78, 0.76, 0.52),
            feature_and_price=(0.36, 0.34, 0.18),
            options_and_price=(0.14, 0.13, 0.07),
        ),
        PROMPT,
    ),
    FaultKind(
        "skipped_option",
        rates(with_options=(0.36, 0.34, 0.24), options_and_price=(0.20, 0.18, 0.10)),
        SKILL,
    ),
    FaultKind("early_purchase", rates(feature_and_price=(0.26, 0.24, 0.13)), PROMPT),
    FaultKind("wrong_choice", {"*": {"weak": 0.13, "mid": 0.07, "strong": 0.06}}),
    FaultKind(
        "misnamed_element",
        rates(named_item=(0.26, 0.26, 0.14), options_and_price=(0.08, 0.08, 0.04)),
        _MOSTLY,
    ),
    FaultKind(
        "prose_call",
        rates(named_item=(0.26, 0.26, 0.15), options_and_price=(0.03, 0.03, 0.02)),
        NO_CURE_IN_TEXT,
    ),
)
