"""Options that several commands share, with the words they take."""

import os
from typing import Annotated

import typer

ENVIRONMENT = (
    "sqldesk, household, orderdesk, webshop, an installed world, a folder, "
    "package.module:factory or command:PROGRAM."
)
MODEL = "simulated:weak|mid|strong, gold, noop, openai:NAME or replay:FILE."
HARNESS = "seed, evolved, a name such as current, an id or its start, or a folder."
REPEATS = "Rollouts per task; 1 where the model is deterministic."
AGENT = "command:TEMPLATE runs your own agent program around the model."
LOOP = "Agent loop: tool_call, react, plan_execute or reflexion."
EDITOR = "rules, openai:NAME and others: see docs/editors.md."
KEEP = "Leave the Prefect server of this run running."
LAYER = "Also run without contract, skills, actions or regulation, paired."
QUERY = "One SELECT, FROM, WITH, SHOW, DESCRIBE or EXPLAIN; - reads stdin."
RECORDINGS = "Files, folders or patterns of recorded episodes; - reads what is piped in."
SIDE_EFFECTS = "Use a world in which what an episode does stays."
SCHEDULE = "Cron of the scheduled cycle; empty for none."
MAX_USD = "Stop before models cost more US dollars than this; 0 sets no cap."
MAX_TOKENS = "Stop before models take more tokens than this; 0 sets no cap."
RECORD = "File that takes every reply of the model."
CONCURRENCY = "Episodes side by side; 0 takes the settings."
DRY_RUN = "Say what it would take in rollouts, calls, tokens, dollars and time; run nothing."
TASKS = "First N tasks of a split, families equal; 0 takes all."

SEVERAL = "Several with commas."

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Environment = Annotated[str, typer.Option(help=ENVIRONMENT)]
Model = Annotated[str, typer.Option(help=MODEL)]
Agent = Annotated[str, typer.Option(help=AGENT)]
Loop = Annotated[str, typer.Option(help=LOOP)]


def _allow(is_allowed: bool) -> None:
    """Let everything that this command starts read it: it is a permission, no input of results."""
    if is_allowed:
        os.environ["TACKROOM_ALLOW_SIDE_EFFECTS"] = "1"


SideEffects = Annotated[
    bool,
    typer.Option("--allow-side-effects", help=SIDE_EFFECTS, callback=_allow, expose_value=False),
]
Seed = Annotated[int, typer.Option(help="Equal seeds give equal runs.")]
Tasks = Annotated[int, typer.Option(help=TASKS)]
Repeats = Annotated[int, typer.Option(help=REPEATS)]
Cycle = Annotated[str, typer.Option(help="Cycle id; the newest in a live world by default.")]
MaxUsd = Annotated[float, typer.Option(help=MAX_USD)]
MaxTokens = Annotated[int, typer.Option(help=MAX_TOKENS)]
Concurrency = Annotated[int, typer.Option(help=CONCURRENCY)]
DryRun = Annotated[bool, typer.Option("--dry-run", help=DRY_RUN)]
