"""Who answers is part of the key: asked for once, kept, and a change is never passed over."""

import asyncio

import pytest

from schemas.errors import ModelFault
from schemas.settings import EndpointSettings, Limits, Settings
from tasks.agent.chat_model import ChatModel
from tasks.agent.identity import UNKNOWN, identity_path
from tasks.agent.models import resolve_model
from tasks.agent.protocols import ModelReply
from tests.model_probes.conftest import completion


def settings_of(server, home, **more) -> Settings:
    values = {"base_url": server.url, "model": "m", "limits": Limits(max_retries=0)} | more
    return Settings(home=home, models={"x": EndpointSettings(**values)})


def resolve(settings) -> ChatModel:
    model = resolve_model("openai:x", settings)
    assert isinstance(model, ChatModel)
    return model


def test_what_a_server_tells_of_itself_is_asked_once_and_kept_while_it_is_down(server, tmp_path):
    server.listing = {"data": [{"id": "m", "root": "org/m-7b", "created": 17}]}
    settings = settings_of(server, tmp_path)
    first = resolve(settings)
    assert first.identity.key == {"listed": {"root": "org/m-7b"}, "served_model": "m-1"}
    server.listing, server.defect = {"data": []}, lambda body: (500, {})
    assert resolve(settings).fingerprint == first.fingerprint
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"listing": {"data": [{"id": "m", "root": "another"}]}},
        {"defect": lambda body: (200, completion({"content": "x"}) | {"model": "m-2"})},
        {
            "defect": lambda body: (
                200,
                completion({"content": "x"}) | {"system_fingerprint": "fp_1"},
            )
        },
    ],
)
def test_every_part_of_what_it_tells_changes_the_key(server, tmp_path, change):
    plain = resolve(settings_of(server, tmp_path / "a"))
    for name, value in change.items():
        setattr(server, name, value)
    other = resolve(settings_of(server, tmp_path / "b"))
    assert plain.fingerprint != other.fingerprint


def test_a_server_that_lists_nothing_is_not_asked_for_a_reply(server, tmp_path):
    server.listing = None
    assert resolve(settings_of(server, tmp_path)).identity == UNKNOWN
    assert server.bodies == []


def test_a_server_that_is_down_is_asked_again_the_next_time(tmp_path):
    place = EndpointSettings(base_url="http://127.0.0.1:9/v1", model="m")
    model = resolve(Settings(home=tmp_path, models={"x": place}))
    assert model.identity == UNKNOWN
    assert not identity_path(place, model.endpoint.url, tmp_path).exists()


def test_a_reply_of_another_model_is_a_fault_and_not_mixed_in(server, tmp_path):
    model = resolve(settings_of(server, tmp_path))
    model.require_same(ModelReply("a", served_model="m-1"))
    model.require_same(ModelReply("a"))
    with pytest.raises(ModelFault, match="is answered by m-2, and was by m-1") as caught:
        model.require_same(ModelReply("a", served_model="m-2"))
    assert (caught.value.kind, "model check x" in str(caught.value)) == ("changed", True)


def test_asking_works_inside_an_event_loop(server, tmp_path):
    async def main():
        return resolve(settings_of(server, tmp_path))

    assert asyncio.run(main()).identity.served_model == "m-1"
