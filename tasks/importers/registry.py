"""The formats that can be read, in the order in which files are tried."""

from tasks.importers.container import Outline
from tasks.importers.draft import Reader
from tasks.importers.few_shot import FewShotReader
from tasks.importers.tau2_bench import Tau2Reader
from tasks.importers.tau_bench import TauBenchReader

READERS: tuple[Reader, ...] = (TauBenchReader(), Tau2Reader(), FewShotReader())
SPREADS = frozenset(member for reader in READERS for member in reader.spreads)


def find_reader(outline: Outline) -> Reader | None:
    """First reader that recognises the content."""
    return next((reader for reader in READERS if reader.recognises(outline)), None)


def known_formats() -> str:
    """What can be read, for error messages."""
    return "; ".join(reader.describes for reader in READERS)
