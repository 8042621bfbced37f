"""An edit counts as tried once a harness that holds it is run, alone or in a bundle."""

import asyncio

import pytest

from tasks.gate.candidate import Candidate, GateWorld
from tasks.gating_progress import counting_edits
from tasks.progress import StageProgress, heard_by, in_stage
from tasks.workbench import seed_harness

BASE = seed_harness("sqldesk")


def candidate(name):
    child = BASE.put("contract", name, f"Text of {name}.")
    return Candidate(name, BASE, child, "contract", name)


EDITS = [candidate(name) for name in ("One", "Two", "Three")]
BUNDLE = BASE.put("contract", "One", "Text of One.").put("contract", "Two", "Text of Two.")


class Heard:
    """Remembers what a stage has counted."""

    text = ""

    def began(self, stage: StageProgress):
        pass

    def counted(self, stage: StageProgress):
        self.text = stage.text

    def ended(self, stage: StageProgress, *, is_done: bool):
        self.text = stage.text


async def no_episodes(harness, tasks, repeats):
    return []


@pytest.mark.parametrize(
    ("harnesses", "text"),
    [
        ([BASE], "0 of 3 edits tried"),
        ([EDITS[0].child, EDITS[0].child], "1 of 3 edits tried"),
        ([BUNDLE], "2 of 3 edits tried"),
        ([BUNDLE, EDITS[2].child, EDITS[0].child], "3 edits tried"),
    ],
)
def test_edits_are_counted_from_the_harnesses_that_run(harnesses, text):
    async def run_all():
        world = GateWorld("cyc_0123456789abcdef", 7, (), (), True, no_episodes)
        counted = counting_edits(world, BASE, EDITS)
        for harness in harnesses:
            await counted.run(harness, (), (0,))

    heard = Heard()
    with heard_by(heard), in_stage("gate"):
        asyncio.run(run_all())
    assert heard.text == text
