"""What the proxy adds to a call, and whether its memory grows.

`python -m tests.benchmarks.proxy_overhead` runs conversations of ten calls against a loopback
upstream of 500 ms, 32 at a time: directly, through a relay on the same HTTP library that does
nothing, and through `tackroom runtime serve` with a harness of four layers. It prints what both
add. `--calls N --latency 0` drives N calls as fast as they go and prints the proxy's memory on
the way.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

TOOLS = [{"type": "function", "function": {"name": "execute_sql", "parameters": {}}}]
TURNS = 10
FILES = {
    "harness.yaml": "api: 1\nname: measured\nenvironment: sqldesk\n",
    "contract.md": "---\ntools:\n  execute_sql: Read before you write.\n---\n## Names\n\nQuote.\n",
    "skills/count-rows/SKILL.md": "---\nname: count-rows\ndescription: How many rows a table "
    "has.\n---\nUse count(*).\n",
    "actions.py": "def rule_quote(action, context):\n"
    '    sql = action["arguments"].get("query", "")\n'
    '    if "my col" in sql and \'"my col"\' not in sql:\n'
    '        quoted = {"query": sql.replace("my col", \'"my col"\')}\n'
    '        return {"kind": "rewrite", "tool": "execute_sql", "arguments": quoted}\n',
    "regulation.py": "def rule_same(history, context):\n"
    '    seen = [entry["observation"] for entry in history[-3:]]\n'
    "    if len(seen) == 3 and len(set(seen)) == 1:\n"
    '        return {"kind": "hint", "message": "Nothing changes."}\n',
}


def upstream(latency_s: float, ready: Any) -> None:
    """Serve an endpoint that answers each request with one call."""

    async def handle(request: web.Request) -> web.Response:
        body = await request.json()
        await asyncio.sleep(latency_s)
        number = len(body["messages"])
        arguments = json.dumps({"query": "SELECT my col FROM t", "n": number})
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "execute_sql", "arguments": arguments},
        }
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        return web.json_response({"id": "x", "object": "chat.completion", "choices": [choice]})

    async def main() -> None:
        ready.put(await listen(handle))
        await asyncio.Event().wait()

    asyncio.run(main())


def relay(upstream_url: str, ready: Any) -> None:
    """Hand every request on as it is: what any proxy costs here."""

    async def main() -> None:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as client:

            async def handle(request: web.Request) -> web.Response:
                raw, kind = await request.read(), {"Content-Type": "application/json"}
                url = f"{upstream_url}/chat/completions"
                async with client.post(url, data=raw, headers=kind) as got:
                    return web.Response(body=await got.read(), headers=kind)

            ready.put(await listen(handle))
            await asyncio.Event().wait()

    asyncio.run(main())


async def listen(handle: Any) -> int:
    """Serve completions on a free port and give it."""
    app = web.Application(client_max_size=1 << 26)
    app.router.add_post("/v1/chat/completions", handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner.addresses[0][1]


async def converse(client: aiohttp.ClientSession, url: str, name: str, spent: list[float]) -> None:
    """One conversation of ten calls."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"How many rows? {name}"}]
    for _ in range(TURNS):
        body = {"model": "m", "messages": messages, "tools": TOOLS}
        started = time.perf_counter()
        async with client.post(f"{url}/chat/completions", json=body) as got:
            message = (await got.json())["choices"][0]["message"]
        spent.append(time.perf_counter() - started)
        result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "[1]"}
        messages += [message, result]


async def drive(
    url: str, calls: int, together: int, on_thousand: Any = None, *, spread_s: float = 0.0
) -> list[float]:
    """Latencies of so many calls, so many conversations at a time, begun over `spread_s`."""
    spent: list[float] = []
    names = iter(range(max(1, calls // TURNS)))

    async def work(client: aiohttp.ClientSession, wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        for name in names:
            await converse(client, url, str(name), spent)
            if on_thousand and name % 500 == 499:
                on_thousand(len(spent))

    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as client:
        waits = [spread_s * number / together for number in range(together)]
        await asyncio.gather(*(work(client, wait_s) for wait_s in waits))
    return spent


def memory_mb(process: int) -> float:
    """Resident memory of a process in MiB."""
    text = Path(f"/proc/{process}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


def percentile(values: list[float], share: float) -> float:
    """Value below which a share of the values lies, in milliseconds."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] * 1000


def main() -> None:
    """Measure and print."""
    read = argparse.ArgumentParser(description=__doc__)
    read.add_argument("--calls", type=int, default=1920)
    read.add_argument("--together", type=int, default=32)
    read.add_argument("--latency", type=float, default=0.5)
    given = read.parse_args()
    direct = begin(upstream, given.latency)
    relayed = begin(relay, direct)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "harness"
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        command = [sys.executable, "-m", "deployments", "runtime", "serve", "--json"]
        command += ["--harness", str(folder), "--upstream", direct]
        environ = os.environ | {"TACKROOM_HOME": f"{scratch}/home"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as proxy:
            try:
                assert proxy.stdout is not None
                url = json.loads(proxy.stdout.readline())["url"]
                report(given, {"direct": direct, "relay": relayed, "proxy": url}, proxy.pid)
            finally:
                proxy.terminate()


def begin(serve: Any, first: Any) -> str:
    """Start a server in a process that ends with this one; gives its base URL."""
    ready: Any = multiprocessing.Queue()
    multiprocessing.Process(target=serve, args=(first, ready), daemon=True).start()
    return f"http://127.0.0.1:{ready.get()}/v1"


def report(given: argparse.Namespace, urls: dict[str, str], process: int) -> None:
    """Print what a call costs, directly, through the relay and through the proxy."""
    url = urls["proxy"]
    asyncio.run(drive(url, 4 * given.together, given.together))
    first = memory_mb(process)
    if given.latency == 0:

        def tell(done: int) -> None:
            print(f"{done:>7} calls  {memory_mb(process):7.1f} MiB", flush=True)

        started = time.perf_counter()
        asyncio.run(drive(url, given.calls, given.together, tell))
        took = time.perf_counter() - started
        print(f"{given.calls / took:.0f} calls a second; {first:.1f} MiB at the start")
        return
    for title, spread_s in (("spread over the latency", given.latency), ("all at once", 0.0)):
        print(f"requests {title}")
        found: dict[str, list[float]] = {}
        for name, at in urls.items():
            values = asyncio.run(drive(at, given.calls, given.together, spread_s=spread_s))
            found[name] = [percentile(values, p) for p in (0.5, 0.9, 0.99)]
            p50, p90, p99 = found[name]
            line = f"  {name:<8} p50 {p50:7.1f}  p90 {p90:7.1f}  p99 {p99:7.1f} ms"
            if name != "direct":
                first = found["direct"]
                line += f"  added {p50 - first[0]:5.1f} and {p99 - first[2]:6.1f} ms"
            print(line, flush=True)


if __name__ == "__main__":
    main()
