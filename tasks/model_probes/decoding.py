"""What can be asked of the decoder: a schema, a seed, log-probabilities, reasoning apart."""

import json
from dataclasses import replace

import jsonschema

from tasks.agent.schema_mode import calls_schema, response_format
from tasks.agent.wire import read_reply
from tasks.model_probes.calls import ADD
from tasks.model_probes.desk import Desk, Finding

POEM = "Write two lines about the sea, in plain words. Do not write JSON."
WORDS = "Write eight unusual English words at random, separated by spaces."
PUZZLE = "A bat and a ball cost 1.10. The bat costs 1.00 more. What does the ball cost?"


async def probe_schema(desk: Desk) -> Finding:
    """Whether a schema holds the decoder even where the prompt asks for something else."""
    given = desk.endpoint.settings.schema_form
    first, *_ = tried = [await _try_schema(desk, form) for form in (given, _OTHER_FORM[given])]
    if first.status == "ok" or tried[1].status != "ok":
        return first
    return replace(first, change=f'set schema_form = "{_OTHER_FORM[given]}"')


async def _try_schema(desk: Desk, form: str) -> Finding:
    heard = await desk.ask(POEM, most=160, response_format=response_format([ADD], form))
    if heard.refusal:
        return Finding("schema", "missing", f"refuses a schema by {form}: {heard.refusal}")
    try:
        jsonschema.validate(json.loads(heard.text), calls_schema([ADD]))
    except (ValueError, jsonschema.ValidationError):
        change = 'do not set mode = "schema": it would act as text mode'
        return Finding("schema", "defect", f"ignores the schema: {heard.text[:80]!r}", change)
    return Finding("schema", "ok", f"holds replies to a schema, by {form}")


_OTHER_FORM = {"json_schema": "json_object", "json_object": "json_schema"}


async def probe_seed(desk: Desk) -> Finding:
    """Whether equal seeds give equal replies and others do not."""
    first, again, other = [
        await desk.ask(WORDS, most=32, temperature=1.0, seed=seed) for seed in (11, 11, 12)
    ]
    refusal = first.refusal or again.refusal or other.refusal
    if refusal:
        return Finding("seed", "missing", f"refuses a seed: {refusal}")
    if first.text != again.text:
        return Finding("seed", "missing", "equal seeds give different replies", _NO_SEED)
    if first.text == other.text:
        return Finding("seed", "unknown", "replies alike whatever the seed")
    return Finding("seed", "ok", "equal seeds give equal replies", _SEED)


_SEED = "set sampling.send_seed = true, so that repeats can be told again"
_NO_SEED = "leave sampling.send_seed out; take several repeats"


async def probe_logprobs(desk: Desk) -> Finding:
    """Whether log-probabilities come when asked for."""
    heard = await desk.ask("Say yes.", most=4, logprobs=True)
    if heard.refusal:
        return Finding("logprobs", "missing", f"refuses them: {heard.refusal}")
    found = read_reply(heard.payload).logprobs
    if not found:
        change = "leave sampling.logprobs out (llama-cpp-python: --logits_all true)"
        return Finding("logprobs", "missing", "gives none", change)
    return Finding("logprobs", "ok", f"gives them for {len(found)} tokens")


async def probe_reasoning(desk: Desk) -> Finding:
    """Where reasoning is told, if it is."""
    heard = await desk.ask(PUZZLE, most=512)
    if heard.refusal:
        return Finding("reasoning", "unknown", heard.refusal)
    thought = heard.thought
    is_open = "<think>" in thought.text and "</think>" not in thought.text
    if thought.field == "in the text" or is_open:
        change = "vLLM and SGLang: --reasoning-parser NAME; llama.cpp: --reasoning-format deepseek"
        cut = ", and was cut off: raise sampling.max_tokens" if is_open else ""
        return Finding("reasoning", "defect", f"stands inside the text{cut}", change)
    if thought.field:
        return Finding("reasoning", "ok", f"is told apart, in `{thought.field}`")
    return Finding("reasoning", "ok", "none is told")
