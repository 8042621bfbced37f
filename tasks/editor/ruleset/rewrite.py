"""Rules that bring a call into the one form its tool accepts."""

from typing import Any

Json = dict[str, Any]


def rule_match_schema(action: Json, context: Json) -> Json | None:
    """Bring argument names and argument types into the form of the tool's schema."""
    import json

    tools = [tool.get("function", tool) for tool in context.get("tools") or []]
    schemas = {tool["name"]: tool.get("parameters") or {} for tool in tools}
    schema, given = schemas.get(action.get("tool")) or {}, action.get("arguments")
    known = schema.get("properties") or {}
    if not known or not isinstance(given, dict):
        return None
    wrapped = (
        next(iter(given.values())) if len(given) == 1 and not set(given) & set(known) else None
    )
    given = wrapped if isinstance(wrapped, dict) else given
    missing = [key for key in schema.get("required") or [] if key not in given]
    strange = [key for key in given if key not in known]
    types = {"object": dict, "array": list, "integer": int, "number": (int, float), "boolean": bool}
    result = {}
    for key, value in given.items():
        key = missing[0] if [key] == strange and len(missing) == 1 else key
        kind = (known.get(key) or {}).get("type")
        item_kind = ((known.get(key) or {}).get("items") or {}).get("type")
        if isinstance(value, str) and isinstance(kind, str) and kind in types:
            try:
                parsed = json.loads(value)
            except ValueError:
                parsed = None
            value = parsed if isinstance(parsed, types[kind]) else value
        if kind == "array" and value is not None and not isinstance(value, (list, dict)):
            value = [value]
        if kind == "array" and item_kind == "string" and isinstance(value, list):
            value = [str(one) if type(one) in (int, float) else one for one in value]
        if kind == "string" and type(value) in (int, float):
            value = str(value)
        result[key] = value
    if json.dumps(result) == json.dumps(action["arguments"]):
        return None
    return {"kind": "rewrite", "tool": action["tool"], "arguments": result}


def rule_known_tool(
    action: Json, context: Json, *, aliases: dict[str, str] | None = None
) -> Json | None:
    """Give a call of an unknown tool the one known tool it can mean."""
    import re

    tools = [tool.get("function", tool) for tool in context.get("tools") or []]
    schemas = {tool["name"]: tool.get("parameters") or {} for tool in tools}
    name, given = action.get("tool"), action.get("arguments")
    if not name or name in schemas or not isinstance(given, dict):
        return None
    plain = re.sub(r"[\W_]", "", name.lower())
    fits = [tool for tool in schemas if re.sub(r"[\W_]", "", tool.lower()) == plain]
    if (aliases or {}).get(name) in schemas:
        fits = [(aliases or {})[name]]
    if not fits and given:
        fits = [
            tool
            for tool, schema in schemas.items()
            if set(schema.get("required") or ["?"]) <= set(given)
            and set(given) <= set(schema.get("properties") or {})
        ]
    if len(fits) != 1:
        return None
    return {"kind": "rewrite", "tool": fits[0], "arguments": given}


def rule_quote_names(
    action: Json,
    context: Json,
    *,
    tool: str = "",
    argument: str = "",
    quote: str = '""',
) -> Json | None:
    """Quote names of several words that the conversation gives and the statement leaves bare."""
    import re

    given = action.get("arguments") or {}
    text = given.get(argument)
    if action.get("tool") != tool or not isinstance(text, str) or len(text) > 4000:
        return None
    seen = [str(context.get("task_text") or "")]
    seen += [str(message.get("content") or "") for message in context.get("messages") or []]
    seen += [str(entry.get("observation") or "") for entry in context.get("history") or []]
    source = "\n" + "\n".join(seen)[-20000:] + "\n"
    lower = source.lower()
    keywords = ["select", "from", "where", "order", "group", "by", "and", "or", "as", "in", "set"]
    keywords += ["values", "into", "on", "is", "not", "distinct", "like", "between"]
    names, result = {}, text
    for piece in re.split(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\[[^\]]*\]|[^\w ]", text):
        words = piece.split()
        grams = [words[i : i + size] for size in (5, 4, 3, 2) for i in range(len(words) - size + 1)]
        for gram in grams:
            name, at = " ".join(gram), lower.find(" ".join(gram).lower())
            taken = [one for one in names if name in one]
            while at > 0 and not taken and not set(keywords) & set(name.lower().split()):
                before, after = source[:at].rstrip(" "), source[at + len(name)]
                is_first = before[-7:].lower() in ("columns", " fields")
                if after in ",)]:;|.?\"'`\n" and (is_first or before[-1] in ",([:|\"'`\n"):
                    names.setdefault(name, source[at : at + len(name)])
                at = lower.find(name.lower(), at + 1)
    for name, known in names.items():
        pattern = r"(?<![\w\"`\[.])" + re.escape(name) + r"(?![\w\"`\]])(?=(?:[^']*'[^']*')*[^']*$)"
        result = re.sub(pattern, quote[0] + known + quote[1], result)
    if result == text:
        return None
    return {"kind": "rewrite", "tool": tool, "arguments": {**given, argument: result}}


def rule_nearest_command(
    action: Json,
    context: Json,
    *,
    tool: str = "",
    argument: str = "",
    verbs: dict[str, str] | None = None,
    near: tuple[float, float] = (1.0, 1.0),
) -> Json | None:
    """Turn a near miss into the one admissible command it can mean.

    `near` holds the similarity it needs and its lead over the next command.
    """
    import re

    given, offered = action.get("arguments") or {}, context.get("admissible") or []
    said = given.get(argument)
    if action.get("tool") != tool or not isinstance(said, str) or said in offered:
        return None
    words, ranked = re.findall(r"\w+", said.lower()), []
    if words and not any(command.lower().split()[:1] == words[:1] for command in offered):
        words[0] = (verbs or {}).get(words[0], words[0])
    small = ("the", "off", "from", "into", "onto", "with", "inside")
    content = [word for word in words[1:] if len(word) > 2 and word not in small]
    numbers = [word for word in words if word.isdigit()]
    left = " ".join(words)
    pairs = [left[i : i + 2] for i in range(len(left) - 1)]
    for command in offered:
        other = re.findall(r"\w+", command.lower())
        long = [word for word in other if len(word) > 2]
        is_about = all(any(one in word or word in one for word in long) for one in content)
        if words[:1] != other[:1] or not is_about or not set(numbers) <= set(other):
            continue
        right = " ".join(other)
        rest = [right[i : i + 2] for i in range(len(right) - 1)]
        total = max(1, len(pairs) + len(rest))
        for pair in pairs:
            if pair in rest:
                rest.remove(pair)
        ranked.append((2 * (len(right) - 1 - len(rest)) / total, command))
    ranked.sort(key=lambda item: (-item[0], item[1]))
    second = ranked[1][0] if len(ranked) > 1 else 0
    if not ranked or ranked[0][0] < near[0] or ranked[0][0] - second < near[1]:
        return None
    return {"kind": "rewrite", "tool": tool, "arguments": {**given, argument: ranked[0][1]}}
