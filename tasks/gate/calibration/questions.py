"""What a calibration asks: the harness against itself, then effects of several sizes."""

from dataclasses import dataclass

from schemas.gate_forms import CalibrateForm
from tasks.gate.calibration.bank import Bank
from tasks.gate.calibration.measure import Question
from tasks.gate.calibration.planted import Plant
from tasks.gate.candidate import GateSettings

BUNDLE = tuple(Plant(f"Planted {number}", 0.05) for number in range(1, 6))
STRICT_PAIRS = 80
"""Pairs within which one slot should find the main effect."""
NO_EFFECT = "none"


@dataclass(frozen=True)
class Source:
    """What is resampled: the bank, where it comes from, and the losses that are planted."""

    bank: Bank
    environment: str
    model: str
    is_simulated: bool
    is_recorded: bool
    harness_id: str | None
    repeats: int
    rollouts: int
    loss_rate: float


def questions_of(form: CalibrateForm, source: Source) -> list[Question]:
    """What is asked: first the harness against itself, then the main effect."""
    settings = GateSettings(slots=form.slots, repeats=source.repeats)
    one_slot = GateSettings(slots=1, repeats=source.repeats)
    pairs = min(form.tasks or len(source.bank.tasks), len(source.bank.tasks))
    main = (Plant("Planted", form.gain + source.loss_rate, source.loss_rate),)
    # Recorded trials of one arm are those of the other, so each arm draws anew from all of them.
    with_replacement = source.is_recorded
    is_shared = not source.is_recorded
    asked = [
        Question(NO_EFFECT, settings, pairs=pairs, is_replaced=with_replacement),
        Question("main", settings, main, pairs, is_shared, with_replacement),
    ]
    if source.is_recorded:
        return asked
    strict = min(STRICT_PAIRS, pairs)
    asked += [
        Question("main, one slot", one_slot, main, strict, is_shared),
        Question("main, arms drawn apart", settings, main, pairs),
        Question("bundle of five", settings, BUNDLE, pairs, is_shared),
    ]
    for gain in (0.1, 0.05):
        plants = (Plant("Planted", gain + source.loss_rate, source.loss_rate),)
        asked.append(Question(f"+{100 * gain:g}", settings, plants, pairs, is_shared))
    return asked
