"""AgentDojo's suites: their environments, tools and attacks as the package makes them."""

import datetime
import importlib
import types
from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml
from absent_packages import pretend
from calls import Json, refusal

pretend("anthropic", "click", "cohere", "google", "openai", "requests")

from agentdojo.agent_pipeline.tool_execution import tool_result_to_str  # noqa: E402
from agentdojo.attacks.important_instructions_attacks import (  # noqa: E402
    ImportantInstructionsAttackNoNames,
)
from agentdojo.functions_runtime import FunctionsRuntime  # noqa: E402
from agentdojo.models import MODEL_NAMES  # noqa: E402
from agentdojo.task_suite import get_suites  # noqa: E402
from agentdojo.task_suite.task_suite import read_suite_file  # noqa: E402

VERSION = "v1.2.2"
NAMES = ("banking", "slack", "travel", "workspace")
TOOLS = "agentdojo.default_suites.v1.tools"
NOON = datetime.datetime(2024, 5, 15, 12)  # noqa: DTZ001
KINDS = {"ToolNotFoundError": "unknown_tool", "ValidationError": "schema"}


class Noon(datetime.datetime):
    """The clock of the suites: what is sent or saved bears the day of their calendars."""

    @classmethod
    def now(cls, tz: Any = None) -> datetime.datetime:  # noqa: ARG003
        """Always the same time, in an object of its own: results show which parts are shared."""
        return NOON.replace()


class Suite:
    """One suite of the package."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.raw: Any = get_suites(VERSION)[name]
        self.raw.load_and_inject_default_environment = self.load
        self.runtime = FunctionsRuntime(self.raw.tools)
        self.pristine = cache(lambda: self.load({}))
        # The attack asks what its victim is called and then does without the name.
        victim: Any = types.SimpleNamespace(name=next(iter(MODEL_NAMES)))
        self.attack = cache(ImportantInstructionsAttackNoNames(self.raw, victim).attack)

    def load(self, injections: Mapping[str, str]) -> Any:
        """An environment with texts planted in it; the package's own parser takes seconds."""
        text = read_suite_file(self.name, "environment.yaml", None)
        planted = self.raw.get_injection_vector_defaults() | dict(injections)
        raw = yaml.load(text.format(**planted), Loader=yaml.CSafeLoader)
        return self.raw.environment_type.model_validate(raw)

    def begin(self, problem: Any, attacker: Any = None) -> Any:
        """The environment of a problem, attacked or not."""
        if attacker is None:
            made = self.pristine().model_copy(deep=True)
        else:
            made = self.load(self.attack(problem, attacker))
        return problem.init_environment(made)

    def carry_out(self, environment: Any, tool: str, arguments: Json) -> Json:
        """Execute a call of one of the suite's tools."""
        result, error = self.runtime.run_function(environment, tool, arguments)
        if error is None:
            return {"observation": tool_result_to_str(result)}
        return refusal(error, KINDS.get(error.partition(":")[0], "execution"))


@cache
def suite(name: str) -> Suite:
    """A suite by name; its clock stands still from then on."""
    for module in ("email_client", "cloud_drive_client"):
        still = types.ModuleType("datetime")
        vars(still).update(vars(datetime) | {"datetime": Noon})
        vars(importlib.import_module(f"{TOOLS}.{module}"))["datetime"] = still
    return Suite(name)


def definition(tool: Any) -> Json:
    """A tool of the package as a definition."""
    schema = tool.parameters.model_json_schema()
    parameters = {"properties": {}, **schema}
    return {"name": tool.name, "description": tool.description, "parameters": parameters}
