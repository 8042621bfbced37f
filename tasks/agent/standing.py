"""Whether a built-in model can act in a world; what cannot act has no score, not a score of 0."""

from tasks.agent.builtin_models import GoldModel, NoopModel
from tasks.agent.loops.looped_model import without_loop
from tasks.agent.offers import EXPERT
from tasks.agent.protocols import Environment, Model
from tasks.agent.simulated_model import SimulatedModel


def idle_reason(model: Model, environment: Environment) -> str:
    """Why a model does nothing in a world, in one line; empty when it can act."""
    model = without_loop(model)
    if isinstance(model, NoopModel):
        return f"{model.name} never acts"
    if not isinstance(model, SimulatedModel | GoldModel) or EXPERT.is_there(environment):
        return ""
    lacks = "a policy that solves its tasks"
    return f"{model.name} cannot act in `{environment.name}`, which does not offer {lacks}"
