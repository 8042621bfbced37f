"""One file to rows: reader chosen, episodes taken one by one, a report at the end.

A file that cannot be read, and an episode that cannot be read, are refusals with file, position
and reason; neither stops anything else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType

from pydantic import ValidationError

from schemas.fields import Row
from schemas.ids import canonical_json, make_id, sha256_hex
from schemas.redaction import Redactor
from schemas.runs import QuarantineRow
from schemas.text import clean_text
from schemas.trajectories import (
    ImportReportRow,
    VerdictRow,
)
from tasks.importers.assemble import Assembler, HarnessOf
from tasks.importers.container import Outline, hash_file
from tasks.importers.counts import Counts
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import (
    DraftEpisode,
    Note,
    Reader,
    ReadOptions,
    Refusal,
    Source,
    Superseded,
)
from tasks.importers.finding import FoundFile
from tasks.importers.looking import look_at, say_unknown
from tasks.importers.registry import choose_reader, known_formats
from tasks.importers.results import (
    DuplicateEpisode,
    FileReport,
    ImportedEpisode,
    ImportItem,
    Known,
    RefusedEpisode,
    SupersededEpisode,
)
from tasks.importers.tau2_bench import RESULTS
from tasks.importers.verdicts import Stated

_EXCERPT = 2_000
_REASON = 600
_BINARY = {b"\x1f\x8b": "gzip data", b"PAR1": "a parquet table"}


class _Unredacted:
    """Leaves everything as it is, because the user said so."""

    kinds: Mapping[str, int] = MappingProxyType({})
    count = 0

    def text(self, text: str) -> str:
        return text

    def value(self, value: JsonValue, name: str = "") -> JsonValue:
        del name  # there is nothing that a name could give away
        return value


@dataclass(frozen=True)
class Job:
    """One import: what all of its files share."""

    harness_of: HarnessOf
    now: datetime
    options: ReadOptions
    known: Known
    seen: dict[str, Stated] = field(default_factory=dict[str, Stated])
    done: set[str] = field(default_factory=set[str])
    brought: set[str] = field(default_factory=set[str])

    def take_new(self, rows: dict[str, Row]) -> tuple[Row, ...]:
        """Rows by key that were not taken before."""
        new = tuple(row for key, row in rows.items() if key not in self.brought)
        self.brought.update(rows)
        return new

    def find_verdict(self, trajectory_id: str) -> Stated | None:
        """Verdict on a trajectory that is known already; null for a new one."""
        return self.seen.get(trajectory_id) or self.known.verdict_of(trajectory_id)


class FileImport:
    """The import of one file."""

    def __init__(self, found: FoundFile, job: Job) -> None:
        is_folder = found.path.is_dir() and (found.path / RESULTS).is_file()
        self._path = found.path / RESULTS if is_folder else found.path
        self._is_named = found.is_named
        self._job = job
        self._counts = Counts()
        self._redactor = Redactor() if job.options.redact else _Unredacted()
        self._name = self._redactor.text(f"{found.name}/{RESULTS}" if is_folder else found.name)

    def run(self) -> Iterator[ImportItem]:
        """Read the file; whatever is wrong with it ends as a refusal."""
        try:
            digest = hash_file(self._path)
            problem = self._find_problem()
        except OSError as error:
            yield from self._refuse_file("", f"cannot be read: {error.strerror or error}")
            return
        if problem:
            yield from self._refuse_file(digest, problem)
            return
        yield from self._read_known_kind(digest)

    def _find_problem(self) -> str | None:
        with self._path.open("rb") as stream:
            head = stream.read(4)
        if not head:
            return "the file is empty"
        found = [what for mark, what in _BINARY.items() if head.startswith(mark)]
        return f"{found[0]}; known formats: {known_formats()}" if found else None

    def _read_known_kind(self, digest: str) -> Iterator[ImportItem]:
        try:
            seen = look_at(self._path)
        except (OSError, UnicodeError) as error:
            yield from self._refuse_file(digest, f"cannot be read as text: {error}")
            return
        reader = choose_reader(seen, self._job.options.source_format)
        if reader is None:
            yield from self._leave(digest, seen)
            return
        import_id = self._import_id(digest, reader.name)
        is_repeated = import_id in self._job.done or self._job.known.has_import(import_id)
        self._job.done.add(import_id)
        # What a file says once; a file that is one episode is counted with that.
        self._counts.replaced += seen.replaced if seen.spread is not None else 0
        if seen.problem:
            self._counts.notes.append(f"a part of the file cannot be read: {seen.problem}")
        source = Source(self._path, self._name, seen, self._job.options)
        yield from self._read_episodes(reader, source)
        yield FileReport(
            self._report(digest, reader.name),
            is_repeated,
            dict(sorted(self._counts.outcomes.items())),
            tuple(self._counts.contradictions),
        )

    def _leave(self, digest: str, seen: Outline) -> Iterator[ImportItem]:
        """Refuse a file of an unknown format; pass over a sound one that nobody named."""
        is_sound = seen.problem is None and seen.kind not in ("other", "empty")
        if self._is_named or not is_sound:
            yield from self._refuse_file(digest, say_unknown(seen.kind, seen.problem))
            return
        self._counts.notes.append("passed over: the content is in no known format")
        yield FileReport(self._report(digest, "unknown"), is_passed_over=True)

    def _read_episodes(self, reader: Reader, source: Source) -> Iterator[ImportItem]:
        assembler = Assembler(
            reader.name, self._job.harness_of, self._job.known.split_of, self._job.now
        )
        try:
            for drafted in reader.read(source, self._redactor):
                if isinstance(drafted, Note):
                    self._counts.notes.append(drafted.text)
                    continue
                self._counts.episodes += 1
                yield self._land(drafted, assembler)
        except (OSError, UnicodeError) as error:
            reason = f"reading stopped: {error}"
            yield self._refuse(Refusal(self._counts.episodes, "end of what could be read", reason))

    def _land(
        self, drafted: DraftEpisode | Superseded | Refusal, assembler: Assembler
    ) -> ImportItem:
        if isinstance(drafted, Refusal):
            return self._refuse(drafted)
        if isinstance(drafted, Superseded):
            self._counts.superseded += 1
            return SupersededEpisode(f"{self._name}#{drafted.index} ({drafted.place})")
        return self._take(drafted, assembler)

    def _take(self, draft: DraftEpisode, assembler: Assembler) -> ImportItem:
        draft = self._without_secrets_of_paths(draft)
        try:
            trajectory_id = assembler.trajectory_id(draft)
            first = self._job.find_verdict(trajectory_id)
            if first is not None:
                return self._take_duplicate(draft, trajectory_id, first, assembler)
            episode = assembler.episode(draft, self._name)
            task = assembler.task_row(draft)
        except ValidationError as error:
            first = error.errors()[0]
            reason = f"does not fit its table: {first['loc']}: {first['msg']}"
            return self._refuse(Refusal.of(draft.index, draft.place, reason, draft.raw))
        self._job.seen[trajectory_id] = _stated(draft)
        self._counts.add_import(draft, episode)
        task_key = f"{task.task_id} {task.environment_fingerprint}"
        shared = self._job.take_new({task_key: task, **episode.prompts})
        return ImportedEpisode(episode, task, shared)

    def _without_secrets_of_paths(self, draft: DraftEpisode) -> DraftEpisode:
        """Readers redact what stands in a file; folders and file names may tell names, too."""
        file = draft.source_file and self._redactor.text(draft.source_file)
        return replace(draft, model=self._redactor.text(draft.model), source_file=file)

    def _take_duplicate(
        self, draft: DraftEpisode, trajectory_id: str, first: Stated, assembler: Assembler
    ) -> DuplicateEpisode:
        """A copy of a known episode: one more source, and its verdict when that is another one.

        A verdict where there was none yet settles the outcome; one that contradicts disputes it.
        """
        self._counts.duplicates += 1
        source = assembler.source_row(draft, trajectory_id, self._name)
        later = _stated(draft)
        if later.is_silent or later.agrees_with(first):
            return DuplicateEpisode(source)
        place = f"{source.source_file}#{source.source_index}"
        if first.is_silent:
            self._job.seen[trajectory_id] = later
        else:
            what = f"{trajectory_id} is stored as {first}, {place} says {later}"
            self._counts.contradictions.append(what)
        row = VerdictRow(
            trajectory_id=trajectory_id,
            source=f"{place} ({source.raw_sha256[:8]})",
            outcome=later.outcome,
            reward=later.reward,
            disputed=not first.is_silent,
        )
        return DuplicateEpisode(source, row)

    def _refuse(self, refusal: Refusal) -> RefusedEpisode:
        self._counts.refused += 1
        shown = clean_text(self._redactor.text(refusal.excerpt))[:_EXCERPT]
        name = refusal.source_file or self._name
        position = f"#{refusal.index} ({refusal.place})"
        place = clean_text(self._redactor.text(f"{name}{position}"))
        reason = clean_text(self._redactor.text(refusal.reason))[:_REASON]
        return RefusedEpisode(
            QuarantineRow(
                quarantine_id=f"quar_{sha256_hex(canonical_json([place, reason, shown]))[:16]}",
                table_name="file",
                place=place,
                reason=reason,
                content=canonical_json({"text": shown}),
                created_at=self._job.now,
            ),
            clean_text(f"{self._path}{position}"),
        )

    def _refuse_file(self, digest: str, reason: str) -> Iterator[ImportItem]:
        """Refuse a file in which no episode could be looked for: one refusal, no episodes."""
        yield self._refuse(Refusal(0, "the whole file", reason))
        yield FileReport(self._report(digest, "unknown"))

    def _import_id(self, digest: str, source_format: str) -> str:
        options = self._job.options
        switches = [
            options.model,
            options.pair_tasks_by_index,
            options.verdict_field,
            options.redact,
        ]
        return make_id("imp", [self._name, digest, source_format, switches])

    def _report(self, digest: str, source_format: str) -> ImportReportRow:
        counts = self._counts
        return ImportReportRow(
            import_id=self._import_id(digest, source_format),
            source_file=self._name,
            source_sha256=digest,
            source_format=source_format,
            episodes=counts.episodes,
            imported=counts.imported,
            duplicates=counts.duplicates,
            refused=counts.refused,
            unknown_task=counts.unknown_task,
            superseded=counts.superseded,
            redactions=self._redactor.count,
            redacted=self._job.options.redact,
            redactions_by_kind=canonical_json(_filled(self._redactor.kinds)),
            replaced_characters=counts.replaced,
            dialects=canonical_json(sorted(counts.dialects)),
            lost_evidence=canonical_json(_filled(counts.lost)),
            notes=canonical_json(counts.all_notes()),
        )


def _filled(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}


def _stated(draft: DraftEpisode) -> Stated:
    verdict = draft.verdict
    return Stated(verdict.outcome, verdict.rule, verdict.reward)
