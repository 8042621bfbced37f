"""Library and proxy do on stored rollouts what the harness did there, to the letter."""

import asyncio
from collections import Counter

import pytest

from schemas.ids import canonical_json
from tasks.harness import Harness, Sandbox, Session, WrittenCall
from tasks.harness.values import Intervention
from tasks.proxy.arms import Policy
from tasks.proxy.chat_form import ChatForm
from tasks.proxy.service import Service
from tasks.workbench import Workbench
from tests.proxy.desk import NOW, Desk, Scripted
from tests.proxy.reliving import live_again, recorded, refused, stored_interventions

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]
MOST = 200
STORED = """
SELECT trajectory_id, harness_id FROM trajectories AS t
WHERE arm = 'run' AND fault IS NULL AND model = 'simulated:weak'
    AND EXISTS (SELECT 1 FROM interventions AS i WHERE i.trajectory_id = t.trajectory_id)
ORDER BY trajectory_id
"""
NOT_TOLD = "what the world offered after the last step is not stored"


@pytest.fixture
def stored(finished, monkeypatch):
    """Rollouts with interventions of one full cycle, each with its harness."""
    _, command, _ = finished
    monkeypatch.setenv("TACKROOM_HOME", str(command.home))
    bench = Workbench.open()
    with bench.warehouse.read() as reader:
        rows = reader.frame(STORED).rows()[:MOST]
        episodes = reader.episodes([row[0] for row in rows])
    harnesses = bench.stored_harnesses({row[1] for row in rows})
    return [(episode, harnesses[episode.trajectory.harness_id]) for episode in episodes]


def told(rows, recording):
    """What can be compared, see NOT_TOLD."""
    last = sum(step.is_new_turn for step in recording.steps) - 1
    is_offered = any(step.admissible is not None for step in recording.steps)
    return [row for row in rows if not (is_offered and row[:2] == (last, "regulation"))]


def as_row(turn: int, one: Intervention):
    return (turn, one.layer, one.artifact_id, one.kind, one.before, one.after, one.suppressed)


async def by_library(recording, system, harness, sandbox):
    """A loop like ours, written with `Session` alone."""
    session = Session(
        harness, recording.task_text, recording.tools, sandbox=sandbox, budget=recording.budget
    )
    opening = [{"role": "system", "content": system}] if system else []
    task = {"role": "user", "content": recording.task_text}
    found = session.condition([*opening, task], recording.tools).interventions
    rows = [as_row(0, one) for one in found]
    turn, steps = -1, list(recording.steps)
    while steps:
        turn += 1
        reply = [steps.pop(0)]
        while steps and not steps[0].is_new_turn:
            reply.append(steps.pop(0))
        if not reply[0].is_forced:
            calls = [WrittenCall(s.name, s.raw_arguments) for s in reply if s.name is not None]
            for decision in await session.before_reply(
                calls, raw_text=reply[0].raw_text, admissible=reply[0].admissible
            ):
                rows += [as_row(turn, one) for one in decision.interventions]
        for step in reply:
            done = await session.after_result(
                step.executed,
                step.observation,
                is_error=step.is_error,
                admissible=step.admissible_after,
            )
            rows += [as_row(turn, one) for one in done.interventions]
    return rows


async def by_proxy(recording, system, harness, sandbox, gone):
    """A loop whose base URL is the proxy; it never hears of what the harness refused."""
    upstream, kept = Scripted([]), []
    service = Service(
        upstream=upstream,
        policy=lambda: Policy("enforce", 1.0, harness),
        sandbox=sandbox,
        record=kept.append,
        now=lambda: NOW,
        empty=Harness.from_files({"harness.yaml": "api: 1\nenvironment: none\n"}),
        budget=recording.budget,
        most_asks=40,
    )
    desk = Desk(service, upstream, kept, ChatForm())
    await live_again(desk, recording, system, gone)
    return [(turn, *row) for turn, row in sorted(desk.interventions(), key=lambda one: one[0])]


def test_library_and_proxy_do_what_the_rollout_did(stored):
    kinds: Counter[str] = Counter()

    async def compare():
        async with Sandbox() as sandbox:
            for episode, harness in stored:
                recording, system = recorded(episode, harness)
                expected = told(stored_interventions(episode), recording)
                library = await by_library(recording, system, harness, sandbox)
                assert told(library, recording) == expected, episode.trajectory_id
                gone = refused(episode, recording.steps)
                proxy = await by_proxy(recording, system, harness, sandbox, gone)
                assert told(proxy, recording) == expected, episode.trajectory_id
                kinds.update(row[3] for row in expected)

    asyncio.run(compare())
    assert len(stored) == MOST
    assert kinds.keys() >= {"inject", "rescue", "rewrite", "hint"}, canonical_json(kinds)
