"""Tools from OpenAPI documents: places of arguments, bodies, references, dialect."""

import json

import jsonschema
import pytest

from tasks.environments.declared.http_service import _request
from tasks.environments.declared.openapi import read_openapi


@pytest.fixture
def read(tmp_path):
    """Read a document with these paths and schemas."""

    def go(paths, schemas=None, *, version="3.0.3"):
        path = tmp_path / "openapi.json"
        components = {"schemas": schemas or {}}
        path.write_text(json.dumps({"openapi": version, "paths": paths, "components": components}))
        document = read_openapi(path)
        for one in document.operations:
            jsonschema.Draft202012Validator.check_schema(one.tool.parameters)
        return {one.tool.name: one for one in document.operations}, document

    return go


def body(schema, *, required=True):
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def test_members_of_a_body_stand_beside_the_parameters(read):
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "tag", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
        {"name": "X-Mode", "in": "header", "schema": {"type": "string"}},
        {"name": "Authorization", "in": "header", "schema": {"type": "string"}},
    ]
    schema = {"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]}
    made, _ = read({"/a/{id}": {"post": {"parameters": parameters, "requestBody": body(schema)}}})
    [one] = made.values()
    assert one.tool.name == "post__a_id"
    assert set(one.tool.parameters["properties"]) == {"id", "tag", "X-Mode", "note"}
    assert one.tool.parameters["required"] == ["id", "note"]
    sent = _request(one, {"id": "a/../b", "tag": ["x", "y"], "X-Mode": "1\r\nX: 2", "note": "n"})
    assert sent == {
        "path": "/a/a%2F..%2Fb",
        "params": [("tag", "x"), ("tag", "y")],
        "headers": {"X-Mode": "1 X: 2"},
        "json": {"note": "n"},
    }
    assert _request(one, {"id": "..", "note": "n"})["path"] == "/a/%2E%2E"


def test_a_body_that_is_no_plain_object_is_one_argument(read):
    schema = {"type": "array", "items": {"type": "integer"}}
    made, _ = read({"/a": {"post": {"operationId": "put_all", "requestBody": body(schema)}}})
    assert made["put_all"].tool.parameters["required"] == ["body"]
    assert _request(made["put_all"], {"body": [1]})["json"] == [1]


def test_members_that_would_hide_a_parameter_stay_together(read):
    parameters = [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]
    schema = {"type": "object", "properties": {"id": {"type": "string"}}}
    made, _ = read(
        {
            "/a/{id}": {
                "parameters": parameters,
                "put": {"operationId": "x", "requestBody": body(schema)},
            }
        }
    )
    assert set(made["x"].tool.parameters["properties"]) == {"id", "body"}


def test_references_are_put_in_and_one_that_holds_itself_ends(read):
    schemas = {
        "Node": {
            "type": "object",
            "properties": {
                "name": {"$ref": "#/components/schemas/Name"},
                "made_at": {"type": "string", "readOnly": True},
                "next": {"$ref": "#/components/schemas/Node"},
            },
            "required": ["name", "made_at"],
        },
        "Name": {"type": "string", "nullable": True, "example": "x", "x-own": 1},
    }
    ref = {"$ref": "#/components/schemas/Node"}
    made, _ = read({"/a": {"post": {"operationId": "x", "requestBody": body(ref)}}}, schemas)
    found = made["x"].tool.parameters
    assert "$ref" not in json.dumps(found)
    assert found["properties"]["name"] == {"type": ["string", "null"]}
    assert found["required"] == ["name"]
    assert "made_at" not in found["properties"]


def test_the_numbers_of_openapi_3_0_become_those_of_json_schema(read):
    schema = {"type": "number", "minimum": 0, "exclusiveMinimum": True}
    parameters = [{"name": "n", "in": "query", "explode": False, "schema": schema}]
    made, _ = read({"/a": {"get": {"operationId": "x", "parameters": parameters}}})
    found = made["x"].tool.parameters["properties"]["n"]
    assert found == {"type": "number", "exclusiveMinimum": 0}
    assert _request(made["x"], {"n": [1, 2]})["params"] == [("n", "1,2")]


def test_methods_other_than_reading_ones_are_writes(read):
    paths = {f"/{m}": {m: {"operationId": m}} for m in ("get", "head", "options", "post", "put")}
    made, _ = read(paths | {"/delete": {"delete": {"operationId": "delete"}}})
    assert {name for name, one in made.items() if one.is_write} == {"post", "put", "delete"}


def test_what_cannot_be_a_tool_is_left_out_with_the_reason(read):
    form = {"content": {"multipart/form-data": {"schema": {"type": "object"}}}}
    cookie = [{"name": "sid", "in": "cookie", "required": True, "schema": {"type": "string"}}]
    _, document = read(
        {
            "/ok": {"get": {"operationId": "ok"}},
            "/upload": {"post": {"operationId": "upload", "requestBody": form}},
            "/who": {"get": {"operationId": "who", "parameters": cookie}},
        }
    )
    assert document.left_out == {
        "upload": "its body is not JSON",
        "who": "it needs the cookie 'sid'",
    }
