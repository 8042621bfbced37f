"""Serving clients over stdio, or over streamable HTTP on loopback."""

import signal
import socket
from collections.abc import Callable

import uvicorn
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server

from schemas.errors import ConfigError
from tasks.mcp_face.face import Face

HOST = "127.0.0.1"
PATH = "/mcp"
MAX_REQUEST_BYTES = 64 * 1024 * 1024


async def serve_stdio(face: Face) -> None:
    """Serve the one client on stdin and stdout until it is gone."""
    # Waiting for a line cannot be interrupted, so the signals end the process as it stands: the
    # log is written line by line, and an upstream ends with its stdin.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    async with face.opened(), stdio_server() as (read, write):
        await serve_loop(face.server, read, write, lifespan_state={})


async def serve_http(face: Face, port: int, note: Callable[[str], None]) -> None:
    """Serve any number of clients on a loopback port; 0 takes a free one.

    Raises:
        ConfigError: the port is taken.
    """
    app = face.server.streamable_http_app(
        streamable_http_path=PATH, host=HOST, max_request_body_size=MAX_REQUEST_BYTES
    )
    with _listening(port) as taken:
        note(f"listening on http://{HOST}:{taken.getsockname()[1]}{PATH}")
        config = uvicorn.Config(
            app, log_level="error", access_log=False, timeout_graceful_shutdown=3
        )
        async with face.opened():
            await uvicorn.Server(config).serve(sockets=[taken])


def _listening(port: int) -> socket.socket:
    taken = socket.socket()
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((HOST, port))
    except (OSError, OverflowError) as error:
        taken.close()
        what = f"port {port} cannot be used: {error}"
        raise ConfigError(what, hint="give another --port; 0 takes a free one") from None
    return taken
