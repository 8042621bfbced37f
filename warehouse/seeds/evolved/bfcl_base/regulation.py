def rule_hint_repeat(history, context):
    """The same call with the same result is repeated. Seen in 19 failed runs."""
    times = 3
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
