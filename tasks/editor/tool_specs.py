"""The tools of a coding agent: their schemas, and whether a call's arguments fit them."""

from jsonschema import Draft202012Validator

from schemas.errors import EditRejected
from tasks.agent.arguments import parse_arguments
from tasks.agent.protocols import JsonObject, RawCall, ToolSpec
from tasks.editor.claims import MANIFEST_PROPERTIES, OPTIONAL_PROPERTIES

_TEXT: JsonObject = {"type": "string"}
_PATTERN: JsonObject = {"pattern_id": _TEXT}


def _spec(
    name: str, description: str, required: JsonObject, optional: JsonObject | None = None
) -> JsonObject:
    parameters = {
        "type": "object",
        "properties": required | (optional or {}),
        "required": list(required),
        "additionalProperties": False,
    }
    return ToolSpec(name, description, parameters).as_openai()


TOOLS: tuple[JsonObject, ...] = (
    _spec("list_files", "List the files of the candidate harness with their sizes.", {}),
    _spec(
        "read_file",
        "Read a file of the candidate; a long file from a character on.",
        {"path": _TEXT},
        {"offset": {"type": "integer", "minimum": 0}},
    ),
    _spec("write_file", "Write a file of the candidate.", {"path": _TEXT, "text": _TEXT}),
    _spec("delete_file", "Delete a file of the candidate.", {"path": _TEXT}),
    _spec("query", "Ask one SQL SELECT (DuckDB) over the train tables.", {"sql": _TEXT}),
    _spec("read_run", "Read one train run.", {"trajectory_id": _TEXT}),
    _spec(
        "compare_runs",
        "Show where a failed train run parts from a successful one, of the same task if there is.",
        {"failed_id": _TEXT},
        {"successful_id": _TEXT},
    ),
    _spec("show_diff", "Show the candidate's changes.", {}),
    _spec("check", "Run the static checks and the sandbox probe on the candidate.", {}),
    _spec(
        "replay",
        "Replay the candidate over stored train runs: where it would act, and what it covers.",
        {},
        _PATTERN,
    ),
    _spec(
        "submit",
        "Hand in the candidate as one edit with its manifest; the next edit starts anew.",
        MANIFEST_PROPERTIES,
        OPTIONAL_PROPERTIES,
    ),
    _spec("finish", "Say that there is nothing more to submit.", {}),
)
_SCHEMAS: dict[str, JsonObject] = {
    tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS
}
MAX_COMPLAINT = 300


def read_arguments(call: RawCall) -> JsonObject:
    """Arguments that fit the tool's schema.

    Raises:
        EditRejected: unknown tool, broken JSON, a missing, unknown or mistyped argument.
    """
    if call.name not in _SCHEMAS:
        what = f"there is no tool {call.name[:60]!r}"
        raise EditRejected(what, hint=f"tools: {', '.join(_SCHEMAS)}")
    parsed = parse_arguments(call.arguments)
    if parsed.arguments is None:
        what = f"the arguments of {call.name} are {parsed.error}"
        raise EditRejected(what, hint="send one JSON object")
    return check_arguments(call.name, _SCHEMAS[call.name], parsed.arguments)


def check_arguments(name: str, schema: JsonObject, arguments: JsonObject) -> JsonObject:
    """The arguments, when they fit the schema.

    Raises:
        EditRejected: one is missing, unknown or of the wrong type.
    """
    for error in Draft202012Validator(schema).iter_errors(arguments):
        place = ".".join(str(part) for part in error.absolute_path) or "arguments"
        what = f"{name}: {place}: {_short(error.message)}"
        raise EditRejected(what, hint=f"takes {', '.join(schema['properties'])}")
    return arguments


def _short(message: str) -> str:
    """A complaint quotes the value first, whatever its size, so both ends are kept."""
    if len(message) <= MAX_COMPLAINT:
        return message
    half = MAX_COMPLAINT // 2
    return f"{message[:half]} … {message[-half:]}"
