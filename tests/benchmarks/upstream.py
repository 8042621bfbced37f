"""A loopback endpoint for measuring: it does the next step of a conversation after a while."""

import asyncio
import itertools
import json
import multiprocessing
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web


def next_step(body: dict[str, Any], number: int) -> dict[str, Any]:
    """A completion that calls `step` with the number of results so far."""
    done = sum(message["role"] == "tool" for message in body["messages"])
    function = {"name": "step", "arguments": json.dumps({"n": done})}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 300, "completion_tokens": 20, "total_tokens": 320},
    }


def serve(latency_s: float, ready: Any) -> None:
    """Serve until the process is ended; the port goes into `ready`."""
    numbers = itertools.count()

    async def handle(request: web.Request) -> web.Response:
        body = json.loads(await request.read())
        await asyncio.sleep(latency_s)
        return web.json_response(next_step(body, next(numbers)))

    async def main() -> None:
        app = web.Application(client_max_size=1 << 26)
        app.router.add_post("/v1/chat/completions", handle)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        ready.put(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(main())


@contextmanager
def upstream(latency_s: float) -> Iterator[str]:
    """Address of an endpoint in a process of its own."""
    ready: Any = multiprocessing.Queue()
    process = multiprocessing.Process(target=serve, args=(latency_s, ready), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ready.get(timeout=30)}/v1"
    finally:
        process.terminate()
        process.join()


if __name__ == "__main__":
    with upstream(float(sys.argv[1])) as address:
        print(address, flush=True)
        sys.stdin.read()
