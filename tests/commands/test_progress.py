"""How far a stage is: on a terminal a line that moves, elsewhere one line a stage."""

import asyncio
import io
import time
from contextlib import redirect_stderr

import pytest

from deployments.progress import DRAW_S, StageLines
from tasks.progress import count, doing, expect, heard_by, in_stage


class Terminal(io.StringIO):
    """Text that says it is a terminal, and counts how often it is written to."""

    writes = 0

    def isatty(self):
        return True

    def write(self, text):
        self.writes += 1
        return super().write(text)


def told(out, work, **options):
    """What is written to `out` while some work is done in a stage."""
    with redirect_stderr(out):
        lines = StageLines(**options)
        with heard_by(lines):
            try:
                work()
            finally:
                lines.close()
    return out.getvalue()


def gate():
    with in_stage("gate edits, round 1"):
        expect("edits tried", 9)
        for _ in range(3):
            count("edits tried")
        for _ in range(4):
            expect("rollouts", 103)
            for _ in range(103):
                count("rollouts")


def test_elsewhere_a_stage_is_one_line_with_what_it_did_and_how_long_it_took():
    text = told(io.StringIO(), gate)
    assert text == "gate edits, round 1: 3 of 9 edits tried · 412 rollouts · 0 s\n"


def test_one_of_a_kind_is_told_as_one():
    def work():
        with in_stage("import"):
            expect("files", 1)
            count("files")
            count("edits tried")

    assert told(io.StringIO(), work) == "import: 1 file · 1 edit tried · 0 s\n"


def test_a_stage_that_counts_nothing_says_how_long_it_took():
    def work():
        with in_stage("diagnose benefit"):
            pass

    assert told(io.StringIO(), work) == "diagnose benefit: 0 s\n"


def test_a_terminal_shows_how_far_a_long_stage_is_and_then_the_same_line():
    text = told(Terminal(), gate, patience_s=0)
    moving, final = text.split("\r\x1b[K")
    assert moving.startswith("\rgate edits, round 1: 1 of 9 edits tried")
    assert final == "gate edits, round 1: 3 of 9 edits tried · 412 rollouts · 0 s\n"


def test_a_short_stage_moves_nothing():
    assert "\r" not in told(Terminal(), gate)


def test_a_stage_that_counts_nothing_is_kept_moving_by_the_clock():
    def work():
        with in_stage("propose edits, round 1"), doing("checking rows"):
            time.sleep(0.2)

    text = told(Terminal(), work, patience_s=0, tick_s=0.02)
    assert text.startswith("\rpropose edits, round 1: checking rows · 0 s")
    assert text.endswith("\x1b[Kpropose edits, round 1: 0 s\n")


def test_however_much_is_counted_little_is_written():
    def work():
        with in_stage("collect train"):
            for _ in range(100_000):
                count("rollouts")

    out = Terminal()
    begun = time.monotonic()
    told(out, work, patience_s=0, tick_s=100)
    assert out.writes <= 4 + (time.monotonic() - begun) / DRAW_S


def test_a_failing_stage_leaves_the_last_word_to_its_error():
    def fail():
        with in_stage("collect train"):
            raise OSError(28, "No space left on device")

    def work():
        with pytest.raises(OSError, match="No space"):
            fail()

    assert told(io.StringIO(), work) == ""


def test_what_many_at_once_count_in_a_stage_is_counted_together():
    async def worker():
        for _ in range(5):
            await asyncio.sleep(0)
            count("rollouts")

    async def workers():
        await asyncio.gather(*(worker() for _ in range(4)))

    def work():
        with in_stage("collect train"):
            asyncio.run(workers())

    assert told(io.StringIO(), work).startswith("collect train: 20 rollouts · ")


def test_without_a_listener_or_a_stage_counting_does_nothing():
    expect("rollouts", 3)
    count("rollouts")
    with in_stage("collect train"), doing("checking rows"):
        count("rollouts")
