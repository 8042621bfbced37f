"""A harness between an MCP client and an upstream MCP server.

`gate` holds the harness session of one client and knows no protocol, `offering` what a client is
shown, `log` what was done. `link` is one client's way to an upstream of its own, `face` the
server that clients see, `serving` the transports; those three import the SDK, and nothing imports
them before a server is to run.
"""
