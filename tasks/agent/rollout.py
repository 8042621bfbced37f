"""Our agent loop: condition, ask, realize, execute, regulate, until verdict, budget or fault.

A failed episode is a row like any other and its siblings go on; only a request that makes no
sense (ConfigError) stops them all.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, nullcontext, suppress
from datetime import datetime

from schemas.episode import Episode
from schemas.errors import (
    AgentFault,
    CapReached,
    ConfigError,
    ContextOverflow,
    EnvironmentFault,
    ModelFault,
    TackroomError,
    UserFault,
)
from schemas.fields import Termination
from schemas.text import clean_text
from tasks.agent.attempts import as_attempt
from tasks.agent.conversation import opening_messages
from tasks.agent.episode_log import Ending, EpisodeLog
from tasks.agent.episode_spec import EpisodeSpec, Rig, identify
from tasks.agent.fork import replay_prefix
from tasks.agent.noting import KeepsNotes, Note
from tasks.agent.own_stage import OwnStage, Played, PlaysItself
from tasks.agent.protocols import (
    Call,
    Conversation,
    Environment,
    EpisodeContext,
    JsonObject,
    ManagedModel,
    Model,
    ModelReply,
    tools_of,
)
from tasks.agent.run_limits import run_limits, within_caps
from tasks.agent.turn import Turn, clean_reply
from tasks.agent.user_talk import require_price, user_of
from tasks.agent.world_driver import WorldDriver
from tasks.harness import Harness, HarnessError, Sandbox, SandboxError, Session

logger = logging.getLogger(__name__)

DETAIL_LENGTH = 300
CAP_FAULT = "cap"
"""Fault of an episode that broke off because the run may spend no more."""


async def run_episode(
    spec: EpisodeSpec,
    environment: Environment,
    model: Model,
    harness: Harness,
    sandbox: Sandbox | None,
    *,
    now: datetime,
) -> Episode:
    """Run one episode; as `run_episodes`."""
    rig = Rig(environment, model, harness, sandbox, now)
    return (await run_episodes([spec], rig))[0]


async def run_episodes(
    specs: Sequence[EpisodeSpec],
    rig: Rig,
    *,
    concurrency: int = 0,
    on_done: Callable[[int, Episode], None] | None = None,
) -> list[Episode]:
    """Run episodes side by side and return them in the order of the specs.

    Results do not depend on the order in which episodes end; `on_done` hears of each as it does,
    with the position of its spec. `concurrency` of 0 takes the limits of the run.

    Raises:
        ConfigError: model, harness and environment do not go together.
        CapReached: the run may spend no more; `on_done` has heard of what was begun.
    """
    done: dict[int, Episode] = {}
    queue = iter(enumerate(specs))
    limits = run_limits()
    concurrency = concurrency or limits.concurrency

    async def work() -> None:
        for position, spec in queue:
            if limits.spending.is_reached:
                return
            done[position] = await _run(rig, spec)
            if on_done:
                on_done(position, done[position])

    require_price(rig.environment)
    async with AsyncExitStack() as stack:
        for model in (rig.model, user_of(rig.environment)):
            if isinstance(model, ManagedModel):
                await stack.enter_async_context(model)
        await _run_workers([work() for _ in range(min(concurrency, len(specs)))])
    if len(done) < len(specs) or any(one.trajectory.fault == CAP_FAULT for one in done.values()):
        raise limits.spending.stopped()
    return [done[position] for position in range(len(specs))]


async def _run_workers(workers: Sequence[Coroutine[None, None, None]]) -> None:
    """Wait for all; the first error ends the others and is raised as it is."""
    running = [asyncio.ensure_future(worker) for worker in workers]
    try:
        await asyncio.gather(*running)
    finally:
        for worker in running:
            worker.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _run(rig: Rig, spec: EpisodeSpec) -> Episode:
    async with rig.places or nullcontext():
        episode = await _run_once(rig, spec)
    return episode if episode.trajectory.fault is None else as_attempt(episode)


async def _run_once(rig: Rig, spec: EpisodeSpec) -> Episode:
    log = EpisodeLog(identify(rig, spec))
    if spec.earlier is not None and spec.earlier.trajectory.fault is not None:
        what = f"trial {spec.repeat} learns from the trial before it, which infrastructure ended"
        return log.close(_fault("agent", AgentFault(what)), rig.now)
    try:
        driver = await WorldDriver.start(rig.environment, spec.task, spec.seed, spec.repeat)
    except EnvironmentFault as error:
        return log.close(_broken_off(error, log), rig.now)
    log.user_replies = driver.user.replies if driver.user else ()
    try:
        ending = await _play(rig, spec, log, driver)
    finally:
        with suppress(EnvironmentFault):  # the verdict stands, whatever the world says now
            await driver.close()
    return log.close(ending, rig.now)


async def _play(rig: Rig, spec: EpisodeSpec, log: EpisodeLog, driver: WorldDriver) -> Ending:
    """Play to the end; whatever breaks becomes the ending of this one episode."""
    try:
        try:
            await driver.open_talk()
            played = await _play_through(rig, spec, log, driver)
        except ContextOverflow:
            played = Played("context_overflow")
        return Ending(played.termination, await driver.verdict(), detail=played.detail)
    except (ConfigError, HarnessError):
        raise
    except Exception as error:
        return _broken_off(error, log)


def _broken_off(error: Exception, log: EpisodeLog) -> Ending:
    """The ending of an episode that infrastructure broke off, by what it was."""
    match error:
        case CapReached():
            return _fault(CAP_FAULT, error)
        case UserFault():
            return _fault(f"user_{error.kind}", error, "user_error")
        case ModelFault():
            return _fault(f"model_{error.kind}", error)
        case EnvironmentFault():
            return _fault("environment", error)
        case AgentFault():
            return _fault("agent", error)
        case SandboxError():
            return _fault("sandbox", error)
        case _:
            logger.error("episode %s broke down", log.identity.trajectory_id, exc_info=error)
            return _fault("internal", error)


def _fault(kind: str, error: Exception, termination: Termination = "fault") -> Ending:
    text = str(error) if isinstance(error, TackroomError) else f"{type(error).__name__}: {error}"
    return Ending(termination, fault=kind, detail=clean_text(text)[:DETAIL_LENGTH])


async def _play_through(
    rig: Rig, spec: EpisodeSpec, log: EpisodeLog, driver: WorldDriver
) -> Played:
    if not isinstance(rig.model, PlaysItself):
        return Played(await _loop(rig, spec, log, driver))
    if spec.fork is not None:
        what = f"{rig.model.name} cannot go on from the middle of an episode"
        raise EnvironmentFault(what, hint="compare whole episodes instead of forks")
    context = _context(rig, spec, driver)
    text = _task_text(spec, driver)
    stage = OwnStage(context, log, driver, rig.harness, rig.sandbox, text, rig.budget(spec))
    return await rig.model.play(stage)


def _task_text(spec: EpisodeSpec, driver: WorldDriver) -> str:
    return "\n\n".join(part for part in (spec.task.text, driver.opening) if part)


async def _loop(rig: Rig, spec: EpisodeSpec, log: EpisodeLog, driver: WorldDriver) -> Termination:
    session, tools = _condition(rig, spec, log, driver)
    forced = await replay_prefix(spec.fork, log, driver, session) if spec.fork else None
    conversation = rig.model.open(_context(rig, spec, driver))
    if isinstance(conversation, KeepsNotes):
        await _prepare(conversation, spec, log, tools)
    else:
        conversation = within_caps(conversation, rig.model)
    for step_index in range(len(log.steps), rig.budget(spec)):
        reply = await _ask(conversation, log, tools, forced)
        if reply.is_constrained:
            log.constrain(step_index)
        end = await Turn(log, driver, session, tools, step_index).take(reply, forced=forced)
        if end.is_done or end.is_stopped:
            return driver.ended_as if end.is_done else "rule_stop"
        forced = end.forced
    return "budget"


def _context(rig: Rig, spec: EpisodeSpec, driver: WorldDriver) -> EpisodeContext:
    rows = spec.fork.source.notes if spec.fork else ()
    notes = [Note(r.kind, r.text, r.about_trajectory_id or "", r.carried) for r in rows]
    episode = (rig.environment, spec.task, driver.world, spec.seed, spec.repeat)
    return EpisodeContext(*episode, earlier=spec.earlier, notes=tuple(notes))


async def _prepare(
    conversation: KeepsNotes, spec: EpisodeSpec, log: EpisodeLog, tools: Sequence[JsonObject]
) -> None:
    """Have the agent write to itself, unless a fork goes on with what its source wrote."""
    if spec.fork is None:
        reply = await conversation.prepare(log.messages, tools)
        if reply is not None:
            log.spend(reply)
    log.keep_notes(conversation.notes)


async def _ask(
    conversation: Conversation, log: EpisodeLog, tools: Sequence[JsonObject], forced: Call | None
) -> ModelReply:
    """Ask the model, unless a rule has already decided what comes next."""
    if forced is not None:
        return ModelReply()
    reply = clean_reply(await conversation.reply(log.messages, tools))
    log.spend(reply)
    return reply


def _condition(
    rig: Rig, spec: EpisodeSpec, log: EpisodeLog, driver: WorldDriver
) -> tuple[Session, list[JsonObject]]:
    """Give the session the task and take from it what the model is to see."""
    environment = rig.environment
    text = _task_text(spec, driver)
    tools = tools_of(environment, spec.task)
    session = Session(rig.harness, text, tools, sandbox=rig.sandbox, budget=rig.budget(spec))
    conditioned = session.condition(opening_messages(environment.system_prompt, text), tools)
    log.open(conditioned.messages, conditioned.tools)
    log.intervene(0, conditioned.interventions)
    return session, conditioned.tools
