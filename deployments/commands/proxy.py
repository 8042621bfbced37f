"""`tackroom runtime serve|land`: the proxy, and its traffic as trajectories."""

from typing import Annotated

import typer

from deployments.commands.options import HARNESS, Json
from deployments.console import emit_json, emit_text, note

MODE = "enforce, shadow (log only), or split:P (harness for a share P of conversations)."
UPSTREAM = "Address of the endpoint, up to /v1."


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("serve")(serve)
    app.command("land")(land)


def serve(
    upstream: Annotated[str, typer.Option(help=UPSTREAM)],
    harness: Annotated[
        str, typer.Option(help=f"{HARNESS} Empty: what is released of the environment.")
    ] = "",
    environment: Annotated[
        str, typer.Option(help="Environment whose names and releases are meant.")
    ] = "",
    mode: Annotated[str, typer.Option(help=MODE)] = "enforce",
    control: Annotated[
        str, typer.Option(help="Harness of the other arm of a split; none by default.")
    ] = "",
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65535)] = 0,
    budget: Annotated[
        int, typer.Option(help="Turns of a conversation, told to rules; 0 for none.", min=0)
    ] = 0,
    timeout: Annotated[
        float, typer.Option(help="Seconds a reply of the upstream may take.", min=0.1)
    ] = 600.0,
    without_tools: Annotated[
        bool, typer.Option("--without-tools", help="Also steer requests that offer no tools.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Serve an OpenAI-compatible endpoint with a harness in it, before any other endpoint."""
    from schemas.settings import load_settings
    from tasks.serving import ServeOptions
    from tasks.serving import serve as run

    token = load_settings().runtime_token
    options = ServeOptions(
        harness=harness,
        upstream=upstream,
        environment=environment,
        control=control,
        mode=mode,
        host=host,
        port=port,
        token=token.get_secret_value() if token else "",
        budget=budget or None,
        timeout_s=timeout,
        steers_all=without_tools,
    )

    def tell(url: str) -> None:
        if as_json:
            emit_json({"url": url, "upstream": upstream, "mode": mode})
        else:
            emit_text(f"{url}  (mode {mode}, before {upstream}); stop with Ctrl-C")

    run(options, tell)
    note("stopped; `tackroom runtime land` takes the traffic in")


def land(
    idle: Annotated[
        float, typer.Option(help="Seconds without a request after which one is over.", min=0)
    ] = 600.0,
    everything: Annotated[
        bool, typer.Option("--all", help="Also land conversations that may go on.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Turn finished conversations into trajectories."""
    from tasks.traffic import land_traffic

    result = land_traffic(idle_s=idle, everything=everything)
    if as_json:
        emit_json(result)
    else:
        emit_text("\n".join(f"{name}: {value}" for name, value in result.items()))
    return 3 if result["unreadable"] else 0
