"""Every deployment of `prefect.yaml` loads for real and asks with a typed form."""

import importlib
from pathlib import Path

import pytest
from prefect.flows import load_flow_from_entrypoint
from prefect.utilities.callables import parameter_schema

from deployments.up import MANIFEST, SCHEDULED, read_blocks, to_deployment

ROOT = MANIFEST.parent.parent
BLOCKS = read_blocks()
NAMES = [block["name"] for block in BLOCKS]
by_block = pytest.mark.parametrize("block", BLOCKS, ids=NAMES)


def form_of(block):
    flow = load_flow_from_entrypoint(str(ROOT / block["entrypoint"]), use_placeholder_flow=False)
    schema = parameter_schema(flow).model_dump_for_openapi()
    (reference,) = (schema["properties"][name]["$ref"] for name in schema["properties"])
    return schema, schema["definitions"][reference.rsplit("/", 1)[1]]


def test_every_flow_file_has_one_block():
    texts = {path.stem: path.read_text() for path in (ROOT / "flows").glob("*.py")}
    files = {stem for stem, text in texts.items() if "@flow(" in text}
    assert {Path(block["entrypoint"].split(":")[0]).stem for block in BLOCKS} == files
    assert len(set(NAMES)) == len(NAMES)


@by_block
def test_the_entrypoint_is_a_flow_named_as_its_deployment(block):
    flow = load_flow_from_entrypoint(str(ROOT / block["entrypoint"]), use_placeholder_flow=False)
    assert flow.name == block["name"]


@by_block
def test_the_form_is_complete_and_every_field_has_a_title(block):
    schema, form = form_of(block)
    assert list(schema["properties"]) == ["form"]
    assert "required" not in form
    assert form["additionalProperties"] is False
    for name, field in form["properties"].items():
        assert "default" in field or "items" in field, name
        assert field["title"][0].isupper(), name
        assert "anyOf" not in field, name


@by_block
def test_a_served_deployment_names_its_flow_by_module(block):
    deployment = to_deployment(block, "0 2 * * *")
    module, _, name = deployment.entrypoint.rpartition(".")
    assert getattr(importlib.import_module(module), name).name == block["name"]
    assert bool(deployment.schedules) is (block["name"] == SCHEDULED)


def test_without_a_schedule_nothing_is_scheduled():
    assert not [one for block in BLOCKS for one in to_deployment(block, "").schedules or []]


def test_the_manifest_holds_no_path_of_a_machine():
    text = MANIFEST.read_text(encoding="utf-8")
    assert "set_working_directory" not in text
    assert str(ROOT) not in text
