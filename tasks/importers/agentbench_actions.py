"""Actions that AgentBench's agents write as text, by the rules of each task's own parser.

The text of a turn stays what it is; a rule only adds the call that the task's parser would have
read out of it. A turn in which that parser finds nothing has no call.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tasks.importers.draft import DraftCall, DraftMessage

_HEAD = 20_000


@dataclass(frozen=True)
class _Rule:
    """What a parser looks for, and the call that it makes of it."""

    pattern: re.Pattern[str]
    make: Callable[[re.Match[str]], DraftCall]


def _call(tool: str, argument: str, *, ends: bool = False) -> Callable[[re.Match[str]], DraftCall]:
    """The first group as the only argument; what ends an episode gets no answer."""

    def make(found: re.Match[str]) -> DraftCall:
        arguments = {argument: found.group(1).strip()} if argument else {}
        return DraftCall(tool, arguments=arguments, is_executed=True if ends else None)

    return make


def _named(found: re.Match[str]) -> DraftCall:
    return DraftCall(found.group(1), arguments={"argument": found.group(2).strip()})


def _request(found: re.Match[str]) -> DraftCall:
    arguments = {"url": found.group(2).strip()}
    body = (found.group(3) or "").strip()
    return DraftCall(found.group(1), arguments=arguments | ({"body": body} if body else {}))


_SEARCH = re.DOTALL | re.IGNORECASE
RULES: dict[str, tuple[_Rule, ...]] = {
    "os": (
        _Rule(re.compile(r"Act:\s*finish", _SEARCH), _call("finish", "", ends=True)),
        _Rule(
            re.compile(r"Act:\s*answer\((.*?)\)\s*$", _SEARCH), _call("answer", "answer", ends=True)
        ),
        _Rule(
            re.compile(r"Act:\s*bash\s*```(?:bash)?\s*\n(.*?)```", _SEARCH), _call("bash", "script")
        ),
    ),
    "dbbench": (
        _Rule(
            re.compile(r"Action:\s*Operation\s*```(?:sql)?\s*\n(.*?)\n?```", _SEARCH),
            _call("Operation", "sql"),
        ),
        _Rule(
            re.compile(r"Action:\s*Answer\s*Final Answer:\s*(.*)", _SEARCH),
            _call("Answer", "answer", ends=True),
        ),
    ),
    "alfworld": (
        _Rule(re.compile(r"ACTION:\s*([^\n]+)", re.IGNORECASE), _call("take_action", "action")),
    ),
    "webshop": (_Rule(re.compile(r"Action:\s*(search|click)\[(.+?)\]", _SEARCH), _named),),
    "kg": (
        _Rule(re.compile(r"Action:\s*(\w+)\((.*?)\)", _SEARCH), _named),
        _Rule(re.compile(r"Final Answer:\s*(.*)", _SEARCH), _call("answer", "answer", ends=True)),
    ),
    "medagentbench": (
        _Rule(re.compile(r"^\s*(GET|POST)\s+(\S+)[^\n]*(?:\n(.*))?", re.DOTALL), _request),
        _Rule(
            re.compile(r"^\s*FINISH\((.*)\)\s*$", re.DOTALL), _call("FINISH", "answer", ends=True)
        ),
    ),
}
"""Rules by task, in the order in which a parser tries them."""


def _read_action(text: str, rules: Sequence[_Rule]) -> DraftCall | None:
    for rule in rules:
        found = rule.pattern.search(text[:_HEAD])
        if found:
            return rule.make(found)
    return None


def with_written_calls(messages: Sequence[DraftMessage], task: str) -> tuple[DraftMessage, ...]:
    """Add the calls of a task's texts; the turn that answers one becomes its result.

    Episodes whose calls are calls already, and tasks without rules, stay as they are.
    """
    rules = RULES.get(task)
    if rules is None or any(message.calls for message in messages):
        return tuple(messages)
    read: list[DraftMessage] = []
    is_asked = False
    for message in messages:
        if message.role == "assistant" and not message.copied:
            call = _read_action(message.text or "", rules)
            is_asked = call is not None and call.is_executed is None
            read.append(replace(message, calls=(call,)) if call else message)
        elif message.role == "user" and is_asked:
            read.append(replace(message, role="tool", requestor="assistant"))
            is_asked = False
        else:
            read.append(message)
    return tuple(read)
