"""Whether a built-in model can act in a world; what cannot act has no score, not a score of 0."""

from tasks.agent.builtin_models import GoldModel, NoopModel
from tasks.agent.loops.looped_model import without_loop
from tasks.agent.offers import EXPERT, Offer
from tasks.agent.protocols import Environment, Model
from tasks.agent.simulated_model import SimulatedEnvironment, SimulatedModel


def _simulation(environment: Environment) -> bool:
    return isinstance(environment, SimulatedEnvironment)


SIMULATION = Offer("simulation", "it has no policy and no table of faults and cues", _simulation)


def idle_reason(model: Model, environment: Environment) -> str:
    """Why a model does nothing in a world, in one line; empty when it can act."""
    model = without_loop(model)
    if isinstance(model, NoopModel):
        return f"{model.name} never acts"
    if isinstance(model, SimulatedModel) and not SIMULATION.is_there(environment):
        lacks = "a policy and a table of faults and cues"
    elif isinstance(model, GoldModel) and not EXPERT.is_there(environment):
        lacks = "a policy that solves its tasks"
    else:
        return ""
    return f"{model.name} cannot act in `{environment.name}`, which does not offer {lacks}"
