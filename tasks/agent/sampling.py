"""How a model draws its replies, for people who read its numbers."""

from tasks.agent.chat_model import ChatModel
from tasks.agent.loops.looped_model import without_loop
from tasks.agent.own_agent import OwnAgent
from tasks.agent.protocols import JsonObject, Model
from tasks.agent.recorded_models import RecordingModel
from tasks.agent.simulated_model import SimulatedModel


def sampling_of(model: Model) -> JsonObject:
    """Sampling as far as it is known; members of requests that we do not name are left out."""
    model = without_loop(model)
    if isinstance(model, OwnAgent | RecordingModel):
        return sampling_of(model.inner)
    if isinstance(model, SimulatedModel):
        return {"temperature": model.temperature}
    if isinstance(model, ChatModel):
        settings = model.endpoint.settings
        shown = settings.sampling.model_dump(mode="json", exclude={"extra_body"}, exclude_none=True)
        return {"served": settings.model, "mode": settings.mode, **shown}
    return {}
