"""Failures labelled by a model: an independent pass beside the rules, which it never overwrites."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.episode import Episode
from schemas.errors import CapReached, ContextOverflow, ModelFault
from schemas.failures import FailureLabelRow
from schemas.fields import Row
from schemas.ids import canonical_json, sha256_hex
from tasks.agent.chat_model import ChatConversation, ChatModel
from tasks.agent.identity import known_identity
from tasks.agent.models import resolve_endpoint
from tasks.agent.run_limits import run_limits, within_caps
from tasks.annotator.hits import CATEGORY_OF
from tasks.annotator.judge.case import Case, make_case
from tasks.annotator.judge.protocol import AGAIN, PROTOCOL
from tasks.annotator.judge.reply import Judged, Unusable, read_judgement
from tasks.annotator.parameters import TAXONOMY_VERSION
from tasks.progress import count, expect
from tasks.workbench import Workbench

TRIES = 2
AT_ONCE = 64
"""Failures whose labels are stored together; a run that is killed loses at most these."""
JUDGED = "failures judged"
_LABELLED = "SELECT trajectory_id FROM failure_labels WHERE source = ? AND taxonomy_version = ?"


@dataclass(frozen=True)
class Judge:
    """A model as a judge of failures."""

    word: str
    model: ChatModel
    use_gold: bool

    @property
    def source(self) -> str:
        """What its labels are stored under; another model, address or sampling is another one."""
        return f"judge:{self.model.fingerprint}"

    @property
    def version(self) -> str:
        """Taxonomy version of its labels."""
        return TAXONOMY_VERSION if self.use_gold else f"{TAXONOMY_VERSION}-no-gold"


def open_judge(bench: Workbench, word: str, *, use_gold: bool) -> Judge:
    """The judge behind `openai:NAME`.

    Raises:
        ConfigError: there is no such endpoint, or its key is not set.
    """
    endpoint = resolve_endpoint(word.partition(":")[2], bench.settings)
    identity = known_identity(endpoint, bench.settings.home)
    return Judge(word, ChatModel(word, endpoint, identity), use_gold)


def judge_failures(bench: Workbench, judge: Judge, episodes: Iterable[Episode]) -> dict[str, Any]:
    """Label failures that this judge has not labelled yet, and land the labels as they come.

    Raises:
        ModelFault: the endpoint answered nothing at all.
        CapReached: the run may spend no more; what was judged is landed.
    """
    with bench.warehouse.read() as reader:
        rows = reader.frame(_LABELLED, [judge.source, judge.version]).rows()
    done = {str(row[0]) for row in rows}
    failures = [episode for episode in episodes if episode.is_failure]
    waiting = [episode for episode in failures if episode.trajectory_id not in done]
    expect(JUDGED, len(waiting))
    labels: Counter[str] = Counter()
    unlabelled: Counter[str] = Counter()
    for start in range(0, len(waiting), AT_ONCE):
        told = asyncio.run(_judge_all(judge, waiting[start : start + AT_ONCE]))
        kept = [one for one in told if isinstance(one, FailureLabelRow)]
        bench.land(kept, "judge")
        labels.update(row.category for row in kept)
        unlabelled.update(_why(one) for one in told if not isinstance(one, FailureLabelRow))
        if run_limits().spending.is_reached:
            raise run_limits().spending.stopped()
        if not labels and start == 0:
            _raise_if_down(told)
    return {
        "source": judge.source,
        "labels": dict(sorted(labels.items())),
        "unlabelled": dict(sorted(unlabelled.items())),
        "already": len(failures) - len(waiting),
    }


async def _judge_all(
    judge: Judge, episodes: Sequence[Episode]
) -> list[FailureLabelRow | str | ModelFault]:
    slots = asyncio.Semaphore(run_limits().concurrency)

    async def work(episode: Episode) -> FailureLabelRow | str | ModelFault:
        async with slots:
            try:
                return await _judge(judge, episode)
            except CapReached:
                return "cap"
            except ContextOverflow:
                return "too long for the model"
            except ModelFault as error:
                return error
            finally:
                count(JUDGED)

    async with judge.model:
        return await asyncio.gather(*map(work, episodes))


def _why(told: str | ModelFault) -> str:
    return told if isinstance(told, str) else f"model_{told.kind}"


def _raise_if_down(told: Sequence[Row | str | ModelFault]) -> None:
    faults = [one for one in told if isinstance(one, ModelFault)]
    if faults and len(faults) == len(told):
        raise faults[0]


async def _judge(judge: Judge, episode: Episode) -> FailureLabelRow | str:
    """The label of one failure, or why there is none."""
    case = make_case(episode, use_gold=judge.use_gold)
    messages = [{"role": "system", "content": PROTOCOL}, {"role": "user", "content": case.text}]
    seed = int(sha256_hex(case.text)[:12], 16)
    for attempt in range(TRIES):
        conversation = ChatConversation(judge.model.endpoint, seed=seed + attempt)
        reply = await within_caps(conversation, judge.model).reply(messages, [])
        judge.model.require_same(reply)
        try:
            return _row(judge, episode, case, read_judgement(reply.text, case))
        except Unusable as error:
            again = {"role": "user", "content": AGAIN.format(why=error)}
            messages = [*messages, {"role": "assistant", "content": reply.text}, again]
    return "no evidence that stands in the run"


def _row(judge: Judge, episode: Episode, case: Case, judged: Judged) -> FailureLabelRow:
    evidence = {"quote": judged.quote, "why": judged.why, "step": judged.step}
    return FailureLabelRow(
        trajectory_id=episode.trajectory_id,
        source=judge.source,
        taxonomy_version=judge.version,
        category=CATEGORY_OF[judged.bullet],
        bullet=judged.bullet,
        step_index=judged.step,
        rule=judge.word,
        evidence=canonical_json(evidence),
        uses_gold=case.has_gold,
        signature=canonical_json({"kind": "judged"}),
        runner_ups="[]",
    )
