"""An agent that knows nothing of its surroundings but two addresses: standard library only."""

import json
import os
import urllib.request

MODEL = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
WORLD = os.environ["TACKROOM_AGENT_URL"]


def send(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def main():
    task = send(f"{WORLD}/task")
    messages = [
        {"role": "system", "content": task["system"]},
        {"role": "user", "content": task["task"]},
    ]
    for _ in range(task["budget"]):
        body = {"model": "any", "messages": messages, "tools": task["tools"]}
        message = send(MODEL, body)["choices"][0]["message"]
        messages.append(message)
        for call in message.get("tool_calls") or []:
            result = send(f"{WORLD}/call", call["function"])
            answer = {"role": "tool", "tool_call_id": call["id"], "content": result["content"]}
            messages.append(answer)
            if result["done"]:
                return
        if not message.get("tool_calls"):
            messages.append({"role": "user", "content": "Call a tool, please."})


if __name__ == "__main__":
    main()
