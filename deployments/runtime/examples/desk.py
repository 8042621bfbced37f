"""What the examples share: one tool, and how a model is asked. Yours go here."""

from openai import OpenAI


def as_tool(name, description, parameters):
    """Define a tool in the form of chat completions."""
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


SQL = {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]}
TOOLS = [as_tool("execute_sql", "Run one SQL statement.", SQL)]


def execute(call):
    """Do what a call asks for and say what came of it."""
    return f"executed {call.arguments.get('sql')}"


def ask(messages, tools):
    """Give what a model writes: its text, and name and arguments of its first call."""
    with OpenAI() as client:
        answer = client.chat.completions.create(model="gpt-5-mini", messages=messages, tools=tools)
    said = answer.choices[0].message
    asked = said.tool_calls[0].function if said.tool_calls else None
    return said.content or "", asked.name if asked else None, asked.arguments if asked else None
