"""Tools of an agent: definitions in any form, what changed in them, which a harness refers to.

definitions   read chat, Responses, MCP and bare forms
outline       what a definition asks of a call, and its seal
changes       two outlines compared: compatible or not, and why
references    tools that a harness names, and how surely
"""
