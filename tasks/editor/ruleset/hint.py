"""Rules that tell the agent, after an observation, what it does not seem to see."""

from typing import Any

Json = dict[str, Any]


def rule_hint_repeat(history: list[Json], context: Json, *, times: int = 2) -> Json | None:
    """Say that the same call has brought the same result several times."""
    import json

    keys = []
    for entry in history:
        action = entry.get("action") or {}
        parts = [action.get("tool"), action.get("arguments"), entry.get("observation")]
        keys.append(json.dumps(parts, sort_keys=True))
    if not history or not (history[-1].get("action") or {}).get("tool"):
        return None
    count = 0
    while count < len(keys) and keys[-1 - count] == keys[-1]:
        count += 1
    if count < times:
        return None
    used = {(entry.get("action") or {}).get("tool") for entry in history}
    names = [tool.get("function", tool)["name"] for tool in context.get("tools") or []]
    unused = ", ".join(f"`{name}`" for name in names if name not in used)
    done = [json.dumps((entry.get("action") or {}).get("arguments")) for entry in history]
    fresh = [one for one in context.get("admissible") or [] if json.dumps(one) not in "".join(done)]
    text = f"The same call of `{history[-1]['action']['tool']}` has now run {count} times with the"
    text += " same result; running it again changes nothing. Take what it returned and go on."
    text += f" Not used yet: {unused}." if unused else ""
    text += f" Not tried yet: `{fresh[0]}`." if fresh else ""
    return {"kind": "hint", "message": text}


def rule_hint_stall(
    history: list[Json],
    context: Json,
    *,
    window: int = 4,
    most: int = 3,
    non_progress: tuple[str, ...] = (),
) -> Json | None:
    """Say that the last calls have brought nothing, and what is left to try."""
    import json

    recent = history[-window:]
    bad = [
        entry
        for entry in recent
        if entry.get("is_error")
        or any(str(entry.get("observation") or "").startswith(text) for text in non_progress)
    ]
    if len(bad) < most or not recent or recent[-1] not in bad:
        return None
    done = "".join(json.dumps((entry.get("action") or {}).get("arguments")) for entry in history)
    used = {(entry.get("action") or {}).get("tool") for entry in history}
    names = [tool.get("function", tool)["name"] for tool in context.get("tools") or []]
    unused = ", ".join(f"`{name}`" for name in names if name not in used)
    fresh = [one for one in context.get("admissible") or [] if json.dumps(one) not in done]
    text = f"{len(bad)} of the last {len(recent)} calls changed nothing: "
    text += str(bad[-1].get("observation") or "").strip()[:160]
    text += " Do not repeat them; try something else."
    text += f" Not used yet: {unused}." if unused else ""
    text += f" Not tried yet: `{fresh[0]}`." if fresh else ""
    return {"kind": "hint", "message": text}


def rule_hint_unvisited(
    history: list[Json], context: Json, *, window: int = 6, argument: str = ""
) -> Json | None:
    """Name a command that was not tried while the agent goes to and fro between a few.

    The same command twice in a row is a repetition, which is another rule's.
    """
    recent = [
        str(((entry.get("action") or {}).get("arguments") or {}).get(argument) or "")
        for entry in history
    ]
    last = [command for command in recent[-window:] if command]
    if len(last) < window or len(set(last)) > window // 2:
        return None
    if any(one == other for one, other in zip(last, last[1:])):  # noqa: B905, RUF007
        return None
    verbs = [command.split()[0].lower() for command in last if command.split()]
    most = verbs[-1] if verbs else ""
    fresh = [one for one in context.get("admissible") or [] if one not in recent]
    same = [one for one in fresh if one.lower().split()[:1] == [most]] or fresh
    if not same:
        return None
    text = f"The last {len(last)} actions went to and fro between {len(set(last))} commands."
    text += " Not tried yet: " + ", ".join(f"`{one}`" for one in same[:3]) + "."
    return {"kind": "hint", "message": text}


def rule_hint_next_tool(  # noqa: PLR0913 - its facts
    history: list[Json],
    context: Json,  # noqa: ARG001 - every rule takes both
    *,
    after: tuple[str, ...] = (),
    tool: str = "",
    next_tool: str = "",
    argument: str = "",
    example: str = "",
) -> Json | None:
    """Name the call that is due once another has run, when something else came instead."""
    done = ""
    for entry in history[:-1]:
        action = entry.get("action") or {}
        words = str((action.get("arguments") or {}).get(argument) or "").split()
        fits = not after or (words and words[0].upper() in after)
        if action.get("tool") == tool and fits and not entry.get("is_error"):
            done = f"`{tool}`" + (f" with {words[0].upper()}" if after else "")
    last = (history[-1].get("action") or {}).get("tool") if history else None
    if not done or last == next_tool:
        return None
    said = f"{done} has run. The task counts as done only after a call of `{next_tool}`"
    said += f": call it now, for example {example}." if example else ": call it now."
    return {"kind": "hint", "message": said}


def rule_hint_budget(
    history: list[Json], context: Json, *, left: int = 3, next_tool: str = "", example: str = ""
) -> Json | None:
    """Warn that few steps are left while the required final call is missing."""
    remaining = context.get("remaining_steps")
    if not isinstance(remaining, int) or remaining > left or remaining < 1:
        return None
    if any((entry.get("action") or {}).get("tool") == next_tool for entry in history):
        return None
    text = f"{remaining} steps are left and `{next_tool}` has not been called. Without it the task"
    text += f" counts as not done: call `{next_tool}` now" + (f", {example}." if example else ".")
    return {"kind": "hint", "message": text}


def rule_force_next_tool(  # noqa: PLR0913 - its facts
    history: list[Json],
    context: Json,  # noqa: ARG001 - every rule takes both
    *,
    after: tuple[str, ...] = (),
    tool: str = "",
    argument: str = "",
    next_tool: str = "",
    arguments: Json | None = None,
) -> Json | None:
    """Make the call that is due when the agent only talks or repeats what has worked."""
    done, idle = None, 0
    for entry in history:
        action = entry.get("action") or {}
        words = str((action.get("arguments") or {}).get(argument) or "").split()
        fits = not after or (words and words[0].upper() in after)
        if not action.get("tool") or (done and action.get("arguments") == done):
            idle += 1
        elif action["tool"] == tool and fits and not entry.get("is_error"):
            done, idle = action.get("arguments"), 0
        else:
            done = None
    if done is None or idle < 2:
        return None
    return {"kind": "force", "tool": next_tool, "arguments": arguments or {}}
