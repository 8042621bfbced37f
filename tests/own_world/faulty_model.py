"""A chat completions endpoint that plays a model with four bad habits.

`python faulty_model.py [PORT]` serves it on loopback.

It is a program, no model: numbers made with it are simulated. It solves the tasks of
`desk_service.py`, except where a habit stands in the way and nothing in the conversation says
better:

- it writes the first call of some tasks as text instead of making it;
- it cancels without the argument `reason`, again and again;
- it refunds with `amount` as text, again and again;
- it says that an order is on its way without having moved it.
"""

import hashlib
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REASONS = ("no longer needed", "ordered by mistake")


def luck(text, habit):
    """A number from 0 to 99 that depends on task and habit alone."""
    return hashlib.sha256(f"{habit}:{text}".encode()).digest()[0] * 100 // 256


def found(pattern, text):
    """The first part of a text that fits; every task and result has one."""
    return next(re.finditer(pattern, text, re.DOTALL)).group()


def is_told(messages, *words):
    """Whether one message that is not from the model itself says all of these words."""
    texts = [str(m.get("content") or "") for m in messages if m["role"] != "assistant"]
    return any(all(word in text for word in words) for text in texts)


def seen(messages):
    """What came back so far, however it was sent."""
    begun = next(place for place, m in enumerate(messages) if m["role"] == "user")
    return [str(m.get("content") or "") for m in messages[begun + 1 :] if m["role"] != "assistant"]


def next_move(messages):
    """A call as (name, arguments), or a text."""
    task = next(str(m["content"]) for m in messages if m["role"] == "user")
    order_id = found(r"W\d+", task)
    shown = [text for text in seen(messages) if '"order_id"' in text]
    if not shown:
        if luck(task, "prose") < 30:
            return f'I look it up first: get_order(order_id="{order_id}")'
        return "get_order", {"order_id": order_id}
    order = json.loads(found(r"\{.*?\}", shown[-1]))
    kind = task.split()[0]
    if order["status"] in ("cancelled", "refunded"):
        return "finish", {}
    if kind == "Cancel":
        return cancel(messages, task, order_id)
    if kind == "Refund":
        return refund(task, order)
    if kind == "Send":
        return move(messages, task, order)
    return "finish", {"answer": str(order["total"])}


def cancel(messages, task, order_id):
    """Forgets the reason unless the contract or a hint speaks of it."""
    knows = is_told(messages, "cancel_order", "reason") or luck(task, "reason") >= 70
    reason = next(said for said in REASONS if said in task).replace(" ", "_")
    return "cancel_order", {"order_id": order_id} | ({"reason": reason} if knows else {})


def refund(task, order):
    """Writes the amount as text."""
    is_text = luck(task, "amount") < 60
    amount = str(order["total"]) if is_text else order["total"]
    return "refund_order", {"order_id": order["order_id"], "amount": amount}


def move(messages, task, order):
    """Ends without having moved anything, unless told what comes before the end."""
    city = found(r"(?<=to )\w+(?= instead)", task)
    if order["city"] == city:
        return "finish", {}
    if luck(task, "hasty") < 50 and not is_told(messages, "move_order", "before", "finish"):
        return "finish", {"answer": "It is on its way."}
    return "move_order", {"order_id": order["order_id"], "city": city}


def completion(body):
    """The answer to a request."""
    said = next_move(body["messages"])
    message = {"role": "assistant", "content": said}
    if not isinstance(said, str):
        function = {"name": said[0], "arguments": json.dumps(said[1])}
        call = {"id": f"c{len(body['messages'])}", "type": "function", "function": function}
        message = {"role": "assistant", "content": "", "tool_calls": [call]}
    size = sum(len(str(m.get("content") or "")) for m in body["messages"])
    usage = {"prompt_tokens": size // 4, "completion_tokens": 20}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "r", "object": "chat.completion", "choices": [choice], "usage": usage}


def serve(port=0):
    """A server on loopback; `serve_forever` starts it."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet an answer, else each waits for an acknowledgement

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = json.dumps(completion(body)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format, *args):
            pass

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    server = serve(int(sys.argv[1]) if len(sys.argv) > 1 else 8766)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/v1\n")
    sys.stdout.flush()
    server.serve_forever()
