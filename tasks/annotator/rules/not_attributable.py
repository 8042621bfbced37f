"""NA: grader, oracle, simulated user or infrastructure decided, not the agent. Asked first."""

import re

from tasks.annotator.course import compare, executed_writes
from tasks.annotator.dialogue import asks_question, first_refusal, key_words, mentions
from tasks.annotator.gold import is_full
from tasks.annotator.hits import Hit, View, quote, sign
from tasks.annotator.rules.omissions import lookup_missing
from tasks.annotator.rules.writes import precondition_violated

_STOP_MARK = re.compile(r"###\w[\w-]{1,30}###")
_WITHHELD = re.compile(
    r"(?:don't|do not|dont|can't|cannot|not)\s(?:\w+\s){0,3}?"
    r"(?:have|remember|recall|know|find|sure)"
    r"[^.!?\n]{0,60}?\b(user id|user identification|account|email|phone number)\b",
    re.I,
)
_IDENTITY = re.compile(r"\b([a-z]{2,20}_[a-z]{2,20}_\d{2,6})\b", re.I)


def _na(rule: str, kind: str, reason: str, step: int | None, **facts: object) -> Hit:
    uses_gold = bool(facts.pop("uses_gold", False))
    return Hit(rule, "NA", None, step, sign(kind, reason=reason), dict(facts), uses_gold=uses_gold)


def grader_penalty(view: View) -> list[Hit]:
    """NA: the environment's own verdict is success; the grader took points for something else."""
    base, reward = view.gold.base_reward, view.timeline.episode.trajectory.reward
    if base is None or not is_full(base) or (reward is not None and is_full(reward)):
        return []
    return [
        _na(
            "grader_penalty",
            "grader",
            "base_success",
            None,
            base=base,
            reward=str(reward),
            uses_gold=True,
        )
    ]


def fractional_reward(view: View) -> list[Hit]:
    """NA without gold: nearly full marks after an agreed write and an end by the user."""
    reward = view.timeline.episode.trajectory.reward
    is_nearly_full = reward is not None and 0.5 < reward < 1 and not is_full(reward)
    is_ended = view.timeline.episode.trajectory.termination == "user_stop"
    if view.gold.is_known or not is_nearly_full or not is_ended or not executed_writes(view):
        return []
    return [_na("fractional_reward", "grader", "fraction", None, reward=str(reward))]


def disputed_task(view: View) -> list[Hit]:
    """NA: the source itself says that its task or its simulated user was at fault."""
    if view.gold.user_fault is not None:
        reason = view.gold.user_fault
        return [_na("disputed_task", "user", "reported", None, reported=reason, uses_gold=True)]
    return []


def oracle_against_policy(view: View) -> list[Hit]:
    """NA: the oracle's write breaks a stated precondition, and the agent broke none."""
    last = view.timeline.last
    if not view.gold.is_known or last is None:
        return []
    if _has_own_error(view):
        return []
    records = view.records(len(view.timeline.turns))
    course = compare(view)
    for write in course.missing:
        reason = view.profile.violation(write.tool, write.arguments, records)
        if reason is None or not _is_only_deviation(view, write.arguments):
            continue
        step = _refusing_step(view)
        return [
            _na(
                "oracle_against_policy",
                "oracle",
                reason,
                step,
                expected=quote(write.key),
                uses_gold=True,
            )
        ]
    return []


def _has_own_error(view: View) -> bool:
    """Whether an error of the agent alone would have failed the run; then its class wins."""
    return bool(precondition_violated(view) or lookup_missing(view))


def _is_only_deviation(view: View, arguments: dict[str, object]) -> bool:
    """Whether whatever else the agent changed concerns the record the oracle is wrong about."""
    wrong = {str(value) for name, value in arguments.items() if name.endswith("_id")}
    return all(
        wrong & set(map(str, item.call.run_arguments.values())) for item in compare(view).deviations
    )


def _refusing_step(view: View) -> int | None:
    turn = first_refusal(view.timeline)
    return turn.step_index if turn else None


def user_left_brief(view: View) -> list[Hit]:
    """NA: the simulated user itself asked for the write that its brief does not contain."""
    has_brief = bool(view.gold.brief) and view.timeline.has_user
    if not has_brief or not view.gold.is_state_checked:
        return []
    strays = compare(view).deviations
    if any(item.twin is not None for item in strays) or _has_own_error(view):
        return []
    for item in strays:
        words = key_words(item.call.run_tool, view.profile)
        if mentions(view.gold.brief, words):
            return []
    requests = [_requested_by_user(view, item.call.run_tool, item.turn.index) for item in strays]
    if not requests or any(step is None for step in requests):
        return []
    tools = [item.call.run_tool for item in strays]
    return [_na("user_left_brief", "user", "left_brief", requests[0], tools=tools, uses_gold=True)]


def _requested_by_user(view: View, tool: str, before: int) -> int | None:
    """Step at which the user asked for a write that was not just offered to it."""
    words = key_words(tool, view.profile)
    offer = ""
    for turn in view.timeline.turns[: before + 1]:
        if turn.heard and mentions(turn.heard, words):
            return None if mentions(offer, words) else turn.heard_step
        offer = turn.text or offer
    return None


def user_withheld(view: View) -> list[Hit]:
    """NA: asked for who it is, the user denies to have what its brief gives, to the end."""
    identity = _IDENTITY.search(view.gold.brief[:2000])
    if identity is None:
        return []
    said = [(step, text) for step, text in view.timeline.user_messages]
    if any(identity.group(1).lower() in text.lower() for _, text in said):
        return []
    for turn in view.timeline.turns:
        denial = _WITHHELD.search(turn.heard[:4000])
        if denial and turn.index and denial.group(1).lower() in _agent_said(view, turn.index):
            facts = {"user": quote(turn.heard), "brief_names": quote(identity.group(1))}
            return [
                _na("user_withheld", "user", "withheld", turn.heard_step, **facts, uses_gold=True)
            ]
    return []


def _agent_said(view: View, before: int) -> str:
    return "\n".join(turn.text for turn in view.timeline.turns[:before]).lower()


def user_stopped_early(view: View) -> list[Hit]:
    """NA: the user ended the talk instead of answering, with required writes still open."""
    course = compare(view)
    last = view.timeline.last
    if not course.missing or course.deviations or last is None or not view.timeline.user_messages:
        return []
    step, text = view.timeline.user_messages[-1]
    is_stop = _STOP_MARK.search(text[-400:]) is not None and step > last.step_index
    is_waiting = asks_question(last.text) and not last.calls
    wrote = bool(executed_writes(view))
    if not (is_stop and is_waiting and wrote) or _has_own_error(view):
        return []
    facts = {"user": quote(text), "open": [quote(write.key) for write in course.missing[:5]]}
    return [
        _na("user_stopped_early", "user", "stopped_early", last.step_index, **facts, uses_gold=True)
    ]
