"""The proxy face of the runtime: a harness around any agent that talks to an OpenAI endpoint.

A request says everything that has been said before, so what the harness needs to know is read
from it; what only the proxy knows (attempts it kept to itself) it remembers, and does without
where it has forgotten. `service` handles one request, `server` is HTTP around it.
"""
