"""Rules that read a call which the model wrote as text."""

from typing import Any

Json = dict[str, Any]


def rule_rescue_json(action: Json, context: Json) -> Json | None:
    """Read a call written as a JSON object in the text."""
    import json
    import re

    text = str(action.get("raw_text") or "")[:6000]
    if (action.get("tool") and not action.get("parse_error")) or "{" not in text:
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
                ]  # fmt: skip
                name, given = (fits[0], inner) if len(fits) == 1 else (None, None)
            call = {"tool": name, "arguments": given}
            if name in schemas and isinstance(given, dict) and call not in found:
                found.append(call)
            break
    return {"kind": "rescue", **found[0]} if len(found) == 1 else None


def rule_rescue_invocation(  # noqa: C901, PLR0912 - a rule is one self-contained function
    action: Json, context: Json
) -> Json | None:
    """Read a call written as `tool(arguments)` or `tool[arguments]` in the text."""
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


def rule_rescue_block(
    action: Json,
    context: Json,  # noqa: ARG001 - every rule takes both
    *,
    tool: str = "",
    argument: str = "",
    starts: tuple[str, ...] = (),
) -> Json | None:
    """Read a statement that stands alone, in a code block or at a line start."""
    import re

    text = str(action.get("raw_text") or "")[:6000]
    blocks = re.findall(r"```[\w+-]*[ \t]*\n?(.*?)```", text, re.S)
    if not blocks:
        words = "|".join(re.escape(word) for word in starts)
        blocks = re.findall(
            r"(?:^|\n)[ \t>`]*((?:" + words + r")\b.*?)(?=\n\s*\n|;|`|$)", text, re.S
        )
    found = []
    for block in blocks:
        statement = block.strip().rstrip(";").strip()
        if statement and statement.split()[0] in starts and statement not in found:
            found.append(statement)
    if len(found) != 1:
        return None
    return {"kind": "rescue", "tool": tool, "arguments": {argument: found[0]}}


def rule_rescue_action_lines(action: Json, context: Json) -> Json | None:
    """Read a call written as `Action:` and `Action Input:` lines."""
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


def rule_rescue_speech(
    action: Json, context: Json, *, tool: str = "", argument: str = ""
) -> Json | None:
    """Tell the user what was only said, unless it reads like a call of another tool."""
    import re

    text = str(action.get("raw_text") or "")[:4000].strip()
    tools = [entry.get("function", entry) for entry in context.get("tools") or []]
    names = "|".join(re.escape(entry["name"]) for entry in tools)
    marks = (
        r"[{}]|```|<\w+>|(?im:^\W*(?:action|tool|function)\W*:)|(?<!\w)(?:" + names + r")\s*[(\[:]"
    )
    named = [entry["name"] for entry in tools if "_" in entry["name"] and entry["name"] in text]
    if action.get("tool") or not text or named or re.search(marks, text):
        return None
    return {"kind": "rescue", "tool": tool, "arguments": {argument: text}}


def rule_rescue_command(
    action: Json, context: Json, *, tool: str = "", argument: str = ""
) -> Json | None:
    """Read an admissible command that stands word for word in the text, a quoted one first."""
    import re

    raw = str(action.get("raw_text") or "")[:6000].lower()
    text = " " + " ".join(re.findall(r"\w+", raw)) + " "
    found = [
        command
        for command in context.get("admissible") or []
        if " " + " ".join(re.findall(r"\w+", command.lower())) + " " in text
    ]
    marked = [" ".join(said.split()) for said in re.findall(r"[\"'`*]([^\"'`*\n]+)[\"'`*]", raw)]
    found = [command for command in found if command.lower() in marked] or found
    longest = [
        command
        for command in found
        if not any(command != other and command.lower() in other.lower() for other in found)
    ]
    if len(longest) != 1:
        return None
    return {"kind": "rescue", "tool": tool, "arguments": {argument: longest[0]}}


def rule_rescue_answer(
    action: Json,
    context: Json,  # noqa: ARG001 - every rule takes both
    *,
    tool: str = "",
    argument: str = "",
    is_list: bool = False,
) -> Json | None:
    """Read a final answer that was only said."""
    import json
    import re

    text = str(action.get("raw_text") or "")[:6000]
    said = re.findall(r"(?i)\banswers?\b[*_` ]*(?:is|are|:|=)[*_` :]*([^\n]{1,300})", text)
    value = said[-1].strip(" *_`") if said else ""
    value = value[:-1].rstrip() if value.endswith(".") else value
    if not value or "?" in value:
        return None
    try:
        parsed = json.loads(value)
    except ValueError:
        parsed = value.strip("\"'")
    if is_list:
        parsed = parsed if isinstance(parsed, list) else [str(parsed)]
    elif isinstance(parsed, (list, dict)):
        return None
    return {"kind": "rescue", "tool": tool, "arguments": {argument: parsed}}
