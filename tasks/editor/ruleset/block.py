"""Rules that refuse a call which cannot succeed."""

from typing import Any

Json = dict[str, Any]


def rule_block_known_failure(
    action: Json, context: Json, *, non_progress: tuple[str, ...] = ()
) -> Json | None:
    """Refuse a call that has just failed, when nothing has changed since."""
    import json

    if not action.get("tool") or not isinstance(action.get("arguments"), dict):
        return None
    wanted, error = json.dumps([action["tool"], action["arguments"]], sort_keys=True), None
    for entry in reversed(context.get("history") or []):
        said = str(entry.get("observation") or "")
        failed = entry.get("is_error") or any(said.startswith(text) for text in non_progress)
        if not failed:
            break
        tried = entry.get("action") or {}
        if json.dumps([tried.get("tool"), tried.get("arguments")], sort_keys=True) == wanted:
            error = said  # the oldest counts: a later one may be this refusal itself
    if error is None:
        return None
    names = [tool.get("function", tool)["name"] for tool in context.get("tools") or []]
    others = ", ".join(f"`{name}`" for name in names if name != action["tool"])
    reason = f"This exact call of `{action['tool']}` has already failed and nothing has changed: "
    reason += error.strip()[:200]
    reason += " Change the arguments" + (f" or use another tool: {others}." if others else ".")
    return {"kind": "block", "message": reason}


def rule_block_before_required(
    action: Json, context: Json, *, tool: str = "", required: tuple[str, ...] = ()
) -> Json | None:
    """Refuse a call that comes before the call it always needs."""
    if action.get("tool") != tool:
        return None
    for entry in context.get("history") or []:
        if (entry.get("action") or {}).get("tool") in required and not entry.get("is_error"):
            return None
    names = " or ".join(f"`{name}`" for name in required)
    return {
        "kind": "block",
        "message": f"`{tool}` works only after a successful call of {names}. Call {names} first.",
    }


def rule_block_unconfirmed(
    action: Json,
    context: Json,
    *,
    tools: tuple[str, ...] = (),
    words: tuple[str, ...] = (),
    talk: tuple[str, ...] = (),
) -> Json | None:
    """Refuse a change that the last message of the user does not agree to."""
    import re

    if action.get("tool") not in tools:
        return None
    users = [one for one in context.get("messages") or [] if one.get("role") == "user"]
    said = [str(one.get("content") or "") for one in users[1:]]
    if talk:
        told = context.get("history") or []
        told = [entry for entry in told if (entry.get("action") or {}).get("tool") in talk]
        said = [""] + [str(entry.get("observation") or "") for entry in told]
    if not said or set(re.findall(r"[a-z']+", said[-1].lower())) & set(words):
        return None
    message = f"`{action['tool']}` changes data. First say what will be changed and ask the user;"
    return {"kind": "block", "message": message + " call it after a clear yes."}
