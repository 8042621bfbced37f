"""What `tackroom collect` adds to the bare loop of low-level posts, in one run.

Both play episodes of ten calls against the same loopback endpoint, so many in flight. The bare
loop sends what the agent loop sends and decodes what comes, nothing else. `collect` is the whole
command in a process of its own: start, a world of the user's own in a child, all layers of the
harness, landing, checks and the snapshot.

    .venv/bin/python -m tests.benchmarks.collect_speed [--episodes N] [--together N] [--json]
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI, DefaultAioHttpClient

from tests.benchmarks.ten_steps import CALLS, NUMBER
from tests.benchmarks.upstream import upstream

LATENCIES_S = (0.25, 0.05)
WORLD = "tests.benchmarks.ten_steps:make"
TOOLS = [
    {
        "type": "function",
        "function": {"name": "step", "description": "Do step n.", "parameters": NUMBER},
    }
]
FILES = {
    "harness.yaml": "api: 1\nname: speed\nenvironment: ten_steps\n",
    "contract.md": "# Calls\nCall step with n as a whole number.\n",
    "skills/order/SKILL.md": "---\nname: order\ndescription: order of the steps of a task\n"
    "trigger: steps\n---\nBegin with step 0 and go on one by one.\n",
    "actions.py": "def rule_whole(action, context):\n    '''Steps are whole numbers.'''\n"
    "    n = action['arguments'].get('n') if action['arguments'] else None\n"
    "    if n is not None and n < 0:\n        return {'kind': 'block', 'message': 'no'}\n",
    "regulation.py": "def rule_stuck(history, context):\n    '''Speak up when stuck.'''\n"
    "    if len(history) > 15:\n        return {'kind': 'hint', 'message': 'Go on.'}\n",
}


@dataclass(frozen=True)
class Measured:
    """One way of playing the episodes."""

    name: str
    wall_s: float
    cpu_ms_a_call: float


async def play_bare(url: str, episodes: int, together: int) -> None:
    """The loop without anything around it."""
    names = iter(range(episodes))
    async with AsyncOpenAI(
        api_key="none", base_url=url, max_retries=0, http_client=DefaultAioHttpClient()
    ) as client:

        async def work() -> None:
            for name in names:
                messages: list[dict[str, Any]] = [
                    {"role": "system", "content": FILES["contract.md"]},
                    {"role": "user", "content": f"Do all steps of {name}."},
                ]
                for _ in range(CALLS):
                    body = {"model": "bench", "messages": messages, "tools": TOOLS}
                    got: Any = await client.post("/chat/completions", body=body, cast_to=object)
                    message = got["choices"][0]["message"]
                    call = message["tool_calls"][0]
                    arguments = json.loads(call["function"]["arguments"])
                    text = f"Step {arguments['n'] + 1} of {CALLS} is done; nothing has changed."
                    result = {"role": "tool", "tool_call_id": call["id"], "content": text}
                    messages += [message, result]

        await asyncio.gather(*(work() for _ in range(together)))


def measure_bare(url: str, episodes: int, together: int) -> Measured:
    """The bare loop, in this process."""
    started, before = time.perf_counter(), time.process_time()
    asyncio.run(play_bare(url, episodes, together))
    cpu_s = time.process_time() - before
    return Measured("bare loop", time.perf_counter() - started, 1000 * cpu_s / episodes / CALLS)


def measure_collect(url: str, episodes: int, together: int) -> Measured:
    """The command, with every process it starts."""
    with tempfile.TemporaryDirectory() as scratch:
        harness = Path(scratch) / "harness"
        for name, text in FILES.items():
            (harness / name).parent.mkdir(parents=True, exist_ok=True)
            (harness / name).write_text(text)
        environ = os.environ | {
            "TACKROOM_HOME": f"{scratch}/home",
            "OPENAI_BASE_URL": url,
            "OPENAI_API_KEY": "none",
            "BENCH_EPISODES": str(episodes),
        }
        command = [sys.executable, "-m", "deployments", "collect", "--json"]
        command += ["--environment", WORLD, "--model", "openai:bench", "--harness", str(harness)]
        command += ["--concurrency", str(together)]
        started, before = time.perf_counter(), _children_cpu_s()
        ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
        wall_s, cpu_s = time.perf_counter() - started, _children_cpu_s() - before
        told = json.loads(ran.stdout)
        assert told["successes"] == told["rollouts"] == episodes, told
    return Measured("tackroom collect", wall_s, 1000 * cpu_s / episodes / CALLS)


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    read = argparse.ArgumentParser(description=__doc__)
    read.add_argument("--episodes", type=int, default=int(os.environ.get("BENCH_EPISODES", "1024")))
    read.add_argument("--together", type=int, default=64)
    read.add_argument("--json", action="store_true")
    given = read.parse_args()
    results: dict[str, Any] = {"episodes": given.episodes, "load_before": os.getloadavg()[0]}
    for latency_s in LATENCIES_S:
        ideal_s = given.episodes / given.together * CALLS * latency_s
        with upstream(latency_s) as url:
            bare = measure_bare(url, given.episodes, given.together)
            ours = measure_collect(url, given.episodes, given.together)
        results[f"{latency_s * 1000:g} ms"] = {
            "ideal_s": ideal_s,
            "bare": asdict(bare),
            "collect": asdict(ours),
            "wall_by_ideal": ours.wall_s / ideal_s,
            "cpu_by_bare": ours.cpu_ms_a_call / bare.cpu_ms_a_call,
        }
        if not given.json:
            print(f"{given.together} in flight, {latency_s * 1000:g} ms, {given.episodes} episodes")
            for one in (bare, ours):
                told = f"{one.wall_s:7.1f} s  wall / ideal {one.wall_s / ideal_s:5.2f}"
                print(f"  {one.name:<17} {told}  CPU a call {one.cpu_ms_a_call:5.2f} ms")
            print(f"  CPU a call, collect / bare {ours.cpu_ms_a_call / bare.cpu_ms_a_call:.2f}")
    if given.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
