"""Worlds that a `world.toml` declares: a service over HTTP or MCP, or a factory in the folder.

form          what the file may hold
task_file     tasks from CSV or JSONL
openapi       tools from an OpenAPI 3 document; `openapi_schema` makes its schemas plain
http_service  carries calls out over HTTP
mcp_service   carries calls out over MCP
reset         brings a service back to where every episode begins
verdict       by expected state, by a function of the user's own, or by a judge
world         one episode; `environment` puts all of it together
"""
