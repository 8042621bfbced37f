"""A small order desk over HTTP with the standard library: python desk_service.py [PORT].

`python desk_service.py --files` writes its document and its tasks into the current folder.
Traps: a shipped order cannot be cancelled, a refund needs a delivered order and its exact total,
an address can only be changed while an order is pending. `POST /reset` brings everything back.
"""

import copy
import csv
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

STATUSES = ("pending", "delivered", "shipped")
REASONS = ("no_longer_needed", "ordered_by_mistake")
COUNT = 240


def first_orders():
    """Orders as every episode finds them."""
    return {
        f"W{1000 + number}": {
            "order_id": f"W{1000 + number}",
            "customer": f"c{number % 40}",
            "status": STATUSES[number % 3],
            "total": round(5 + 1.25 * (number * 37 % 91), 2),
            "city": "Ghent",
        }
        for number in range(COUNT)
    }


class Refused(Exception):
    """A request that the desk does not carry out: status and reason."""


class Desk:
    """The orders and what can be done with them."""

    def __init__(self):
        self.orders = first_orders()

    def reset(self):
        """Bring everything back."""
        self.orders = first_orders()
        return {"reset": True}

    def find(self, order_id):
        """One order."""
        if order_id not in self.orders:
            raise Refused(404, f"there is no order {order_id}")
        return self.orders[order_id]

    def list_orders(self, customer):
        """Orders of a customer."""
        return [order_id for order_id, one in self.orders.items() if one["customer"] == customer]

    def cancel(self, order_id, body):
        """Cancel a pending order."""
        order = self.find(order_id)
        if order["status"] != "pending":
            raise Refused(
                409, f"order {order_id} is {order['status']}, only pending can be cancelled"
            )
        if body.get("reason") not in REASONS:
            raise Refused(422, f"reason must be one of {', '.join(REASONS)}")
        order.update(status="cancelled", reason=body["reason"])
        return order

    def refund(self, order_id, body):
        """Refund a delivered order in full."""
        order = self.find(order_id)
        if order["status"] != "delivered":
            raise Refused(409, f"order {order_id} is {order['status']}, only delivered is refunded")
        if body.get("amount") != order["total"]:
            raise Refused(422, f"amount must be the total of the order, {order['total']}")
        order.update(status="refunded", refunded=body["amount"])
        return order

    def move(self, order_id, body):
        """Send a pending order to another city."""
        order = self.find(order_id)
        if order["status"] != "pending":
            raise Refused(409, f"order {order_id} is {order['status']}, only pending can be moved")
        order["city"] = body.get("city")
        return order


ROUTES = (
    ("GET", r"/orders", "list_orders"),
    ("GET", r"/orders/(\w+)", "find"),
    ("POST", r"/orders/(\w+)/cancel", "cancel"),
    ("POST", r"/orders/(\w+)/refund", "refund"),
    ("PUT", r"/orders/(\w+)/city", "move"),
    ("POST", r"/reset", "reset"),
)


def answer(desk, method, target, body):
    """Status and value for a request."""
    path, _, query = target.partition("?")
    for known, pattern, name in ROUTES:
        found = re.fullmatch(pattern, path)
        if known != method or not found:
            continue
        given = list(found.groups())
        if name == "list_orders":
            given.append(query.partition("customer=")[2])
        if name in ("cancel", "refund", "move"):
            given.append(body)
        try:
            return 200, copy.deepcopy(getattr(desk, name)(*given))
        except Refused as refused:
            return refused.args[0], {"error": refused.args[1]}
    return 404, {"error": f"nothing at {path}"}


def serve(port=0):
    """A server on loopback; `serve_forever` starts it."""
    desk = Desk()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet an answer, else each waits for an acknowledgement

        def reply(self):
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else {}
            status, value = answer(desk, self.command, self.path, body)
            text = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def do_GET(self):
            self.reply()

        def do_POST(self):
            self.reply()

        def do_PUT(self):
            self.reply()

        def log_message(self, format, *args):
            pass

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def openapi():
    """The document that describes the desk."""
    order = {"name": "order_id", "in": "path", "required": True, "schema": {"type": "string"}}
    customer = {"name": "customer", "in": "query", "required": True, "schema": {"type": "string"}}

    def body(name, schema):
        properties = {name: schema}
        return {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"type": "object", "properties": properties, "required": [name]}
                }
            },
        }

    reason = {"type": "string", "enum": list(REASONS)}
    return {
        "openapi": "3.0.3",
        "info": {"title": "order desk", "version": "1"},
        "servers": [{"url": "http://127.0.0.1:8765"}],
        "paths": {
            "/orders": {
                "get": {
                    "operationId": "list_orders",
                    "summary": "List the ids of a customer's orders.",
                    "parameters": [customer],
                }
            },
            "/orders/{order_id}": {
                "parameters": [order],
                "get": {"operationId": "get_order", "summary": "Show one order."},
            },
            "/orders/{order_id}/cancel": {
                "parameters": [order],
                "post": {
                    "operationId": "cancel_order",
                    "summary": "Cancel a pending order.",
                    "requestBody": body("reason", reason),
                },
            },
            "/orders/{order_id}/refund": {
                "parameters": [order],
                "post": {
                    "operationId": "refund_order",
                    "summary": "Refund a delivered order in full.",
                    "requestBody": body("amount", {"type": "number"}),
                },
            },
            "/orders/{order_id}/city": {
                "parameters": [order],
                "put": {
                    "operationId": "move_order",
                    "summary": "Send a pending order to another city.",
                    "requestBody": body("city", {"type": "string"}),
                },
            },
        },
    }


def tasks():
    """Rows of tasks in four families, 40 each."""
    rows = []
    orders = list(first_orders().values())
    by_status = {status: [o for o in orders if o["status"] == status] for status in STATUSES}
    pending, delivered, shipped = (by_status[status] for status in STATUSES)
    for order, reason in zip(pending[:40], REASONS * 20, strict=True):
        said = reason.replace("_", " ")
        rows.append(
            {
                "task_id": f"cancel-{order['order_id']}",
                "family": "cancel",
                "order_id": order["order_id"],
                "text": f"Cancel order {order['order_id']}: it is {said}.",
                "expected": json.dumps({"status": "cancelled", "reason": reason}),
            }
        )
    for order in delivered[:40]:
        rows.append(
            {
                "task_id": f"refund-{order['order_id']}",
                "family": "refund",
                "order_id": order["order_id"],
                "text": f"Refund order {order['order_id']} in full.",
                "expected": json.dumps({"status": "refunded", "refunded": order["total"]}),
            }
        )
    for order, city in zip(pending[40:], ("Bruges", "Liege") * 20, strict=True):
        rows.append(
            {
                "task_id": f"move-{order['order_id']}",
                "family": "move",
                "order_id": order["order_id"],
                "text": f"Send order {order['order_id']} to {city} instead.",
                "expected": json.dumps({"status": "pending", "city": city}),
            }
        )
    for order in shipped[:40]:
        rows.append(
            {
                "task_id": f"total-{order['order_id']}",
                "family": "total",
                "order_id": order["order_id"],
                "text": f"What is the total of order {order['order_id']}?",
                "expected": json.dumps({"status": "shipped"}),
                "answer": str(order["total"]),
            }
        )
    return rows


def write_files(folder):
    """Write openapi.json and tasks.csv."""
    (folder / "openapi.json").write_text(json.dumps(openapi(), indent=1) + "\n")
    columns = ("task_id", "family", "text", "order_id", "expected", "answer")
    with (folder / "tasks.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, columns)
        writer.writeheader()
        writer.writerows(tasks())


if __name__ == "__main__":
    if sys.argv[1:] == ["--files"]:
        write_files(Path.cwd())
        sys.exit()
    server = serve(int(sys.argv[1]) if len(sys.argv) > 1 else 8765)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()
