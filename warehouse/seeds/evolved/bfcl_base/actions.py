def rule_rescue_action_lines(action, context):
    """Models write calls as Action and Action Input lines instead of calling; seen in 3 failed runs. Only an unambiguous call is read."""
    import json
    import re

    text = str(action.get("raw_text") or "")[:6000]
    names = re.findall(r"(?im)^\W*(?:action|tool|function)\W*:\W*([\w.-]+)", text)
    inputs = re.findall(
        r"(?is)\b(?:action input|arguments|input|parameters)\W*?:\s*(.+?)\s*(?=\nobservation|\Z)",
        text,
    )
    tools = [tool.get("function", tool) for tool in context.get("tools") or []]
    schemas = {tool["name"]: tool.get("parameters") or {} for tool in tools}
    if len(names) != 1 or len(inputs) > 1 or names[0] not in schemas:
        return None
    schema, given = schemas[names[0]], inputs[0].strip("` \n") if inputs else "{}"
    required = schema.get("required") or list(schema.get("properties") or {})
    try:
        value = json.loads(given)
    except ValueError:
        value = given.strip("\"'")
    if not isinstance(value, dict):
        value = {required[0]: value} if len(required) == 1 else None
    if value is None or not set(schema.get("required") or []) <= set(value):
        return None
    return {"kind": "rescue", "tool": names[0], "arguments": value}


def rule_rescue_invocation(action, context):
    """Models write calls as tool(arguments) or tool[arguments] instead of calling; seen in 8 failed runs. Only an unambiguous call is read."""
    import json
    import re

    text = str(action.get("raw_text") or "")[:6000]
    if action.get("tool") or not re.search(r"[(\[]", text):
        return None
    found, written = [], r"\s*(?:\((.*?)\)|\[(.*?)\])\s*(?:[;.`\n]|$)"
    for tool in [tool.get("function", tool) for tool in context.get("tools") or []]:
        schema = tool.get("parameters") or {}
        names = list(schema.get("properties") or {})
        pattern = r"(?<![\w.])" + re.escape(tool["name"]) + written
        for match in re.finditer(pattern, text, re.S):
            inside = (match.group(1) or match.group(2) or "").strip()
            if tool["name"] + "(" in inside:
                return None
            pairs = re.split(r"(?:^|,)\s*(" + "|".join(map(re.escape, names)) + r")\s*[=:]", inside)
            if inside.startswith("{"):
                given = {"": inside}
            elif len(pairs) > 2 and not pairs[0].strip():
                given = {pairs[i]: pairs[i + 1].strip() for i in range(1, len(pairs), 2)}
            elif inside and len(schema.get("required") or names) == 1:
                given = {(schema.get("required") or names)[0]: inside}
            else:
                given = {} if not inside and not schema.get("required") else None
            read = {}
            for key, value in (given or {}).items():
                try:
                    read[key] = json.loads(value)
                except ValueError:
                    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\"`"
                    read[key] = value[1:-1] if quoted else value
            read = read.get("", read) if given is not None else None
            call = {"tool": tool["name"], "arguments": read}
            if isinstance(read, dict) and call not in found:
                found.append(call)
    return {"kind": "rescue", **found[0]} if len(found) == 1 else None


def rule_rescue_json(action, context):
    """Models write calls as a JSON object instead of calling; seen in 16 failed runs. Only an unambiguous call is read."""
    import json
    import re

    text = str(action.get("raw_text") or "")[:6000]
    if action.get("tool") or "{" not in text:
        return None
    tools = [tool.get("function", tool) for tool in context.get("tools") or []]
    schemas = {tool["name"]: tool.get("parameters") or {} for tool in tools}
    found, done = [], 0
    for start in [match.start() for match in re.finditer(r"\{", text)][:12]:
        ends = [match.end() for match in re.finditer(r"\}", text) if match.end() > start]
        for end in reversed(ends[-12:] if start >= done else []):
            try:
                value = json.loads(text[start:end])
            except ValueError:
                continue
            done = end
            inner = value["function"] if isinstance(value.get("function"), dict) else value
            keys = ("name", "tool", "tool_name", "function", "action")
            name = ([inner[key] for key in keys if isinstance(inner.get(key), str)] or [None])[0]
            keys = ("arguments", "parameters", "args", "input", "action_input")
            given = ([inner[key] for key in keys if key in inner] or [None])[0]
            if name not in schemas and len(inner) == 1 and next(iter(inner)) in schemas:
                name, given = next(iter(inner.items()))
            if name not in schemas and inner:
                fits = [
                    tool for tool, schema in schemas.items()
                    if schema.get("required") and set(schema["required"]) <= set(inner)
                    and set(inner) <= set(schema.get("properties") or {})
                ]
                name, given = (fits[0], inner) if len(fits) == 1 else (None, None)
            call = {"tool": name, "arguments": given}
            if name in schemas and isinstance(given, dict) and call not in found:
                found.append(call)
            break
    return {"kind": "rescue", **found[0]} if len(found) == 1 else None


def rule_known_tool(action, context):
    """Calls name a tool that does not exist and can mean only one that does. Seen in 5 failed runs."""
    aliases = {'closeTicket': 'close_ticket', 'displayCarStatus_tool': 'displayCarStatus', 'echo_tool': 'echo', 'getOutsideTemperatureFromGoogle': 'get_outside_temperature_from_google', 'setNavigation': 'set_navigation'}
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
