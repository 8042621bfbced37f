"""How far a stage is, on stderr: a line that moves on a terminal, one line a stage elsewhere."""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread

from tasks.progress import StageProgress, heard_by

PATIENCE_S = 3.0
"""A stage shorter than this shows nothing while it runs."""
DRAW_S = 0.2
TICK_S = 1.0


@contextmanager
def shown_progress() -> Iterator[None]:
    """Show stages that run in the block, and after each what it did and how long it took."""
    lines = StageLines()
    with heard_by(lines):
        try:
            yield
        finally:
            lines.close()


class StageLines:
    """Hears of stages. On a terminal a clock moves the line on between two counts."""

    def __init__(self, *, patience_s: float = PATIENCE_S, tick_s: float = TICK_S) -> None:
        self._moves = sys.stderr.isatty()
        self._patience_s, self._tick_s = patience_s, tick_s
        self._lock = Lock()
        self._stage: StageProgress | None = None
        self._begun = self._drawn = 0.0
        self._closed = Event()
        self._clock: Thread | None = None

    def began(self, stage: StageProgress) -> None:
        """Remember when."""
        with self._lock:
            self._stage, self._begun = stage, time.monotonic()
            if self._moves and self._clock is None:
                self._clock = Thread(target=self._tick, daemon=True)
                self._clock.start()

    def counted(self, stage: StageProgress) -> None:
        """Move the line, unless it moved just now."""
        self._stage = stage
        if self._moves and time.monotonic() - self._drawn >= DRAW_S:
            self._draw()

    def ended(self, stage: StageProgress, *, is_done: bool) -> None:
        """Take the moving line away; say what was done."""
        with self._lock:
            seconds = time.monotonic() - self._begun
            self._stage = None
            self._clear()
            if is_done:
                sys.stderr.write(f"{_told(stage, seconds)}\n")

    def close(self) -> None:
        """Stop the clock."""
        self._closed.set()

    def _tick(self) -> None:
        while not self._closed.wait(self._tick_s):
            self._draw()

    def _draw(self) -> None:
        with self._lock:
            now = time.monotonic()
            if self._stage is None or now - self._begun < self._patience_s:
                return
            self._drawn = now
            width = shutil.get_terminal_size().columns
            text = _told(self._stage, now - self._begun)[: max(1, width - 1)]
            sys.stderr.write(f"\r{text}\x1b[K")
            sys.stderr.flush()

    def _clear(self) -> None:
        if self._moves and self._drawn >= self._begun:
            sys.stderr.write("\r\x1b[K")


def _told(stage: StageProgress, seconds: float) -> str:
    parts = filter(None, [stage.text, stage.activity, f"{seconds:.0f} s"])
    return f"{stage.title}: {' · '.join(parts)}"
