"""`harness.yaml`: format version, name, environment, layers, budgets and delivery of skills."""

from functools import lru_cache
from typing import Annotated, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError

from .errors import HarnessError
from .front_matter import compose, explain, pairs_of, read_mapping, write_mapping
from .text import canonical_json
from .values import LAYERS, Delivery, Layer

API = 1
PATH = "harness.yaml"


class Layers(BaseModel):
    """Which layers are switched on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    contract: StrictBool = True
    skills: StrictBool = True
    actions: StrictBool = True
    regulation: StrictBool = True


class Budgets(BaseModel):
    """Bounds on what a harness may do to one episode; null means no bound of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    hint_chars: Annotated[int, Field(ge=40, le=2000)] = 600
    """Longest hint or block message; a longer one is shortened."""
    hints: Annotated[int, Field(ge=0)] | None = None
    """Most hints in an episode."""
    forced: Annotated[int, Field(ge=0)] | None = None
    """Most forced actions in an episode."""


class Settings(BaseModel):
    """Everything `harness.yaml` may say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    api: int
    name: Annotated[str, Field(max_length=200)] = ""
    environment: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=100)]
    layers: Layers = Layers()
    budgets: Budgets = Budgets()
    delivery: Delivery = "injected"

    @property
    def layers_on(self) -> tuple[Layer, ...]:
        """Layers that are switched on, in lifecycle order."""
        return tuple(layer for layer in LAYERS if getattr(self.layers, layer))

    def without_layer(self, layer: Layer) -> "Settings":
        """Switch one layer off."""
        return self.model_copy(update={"layers": self.layers.model_copy(update={layer: False})})

    def with_delivery(self, delivery: Delivery) -> "Settings":
        """Change how skills reach the model."""
        return self.model_copy(update={"delivery": delivery})

    def render(self) -> str:
        """Write the settings as YAML in one fixed form."""
        values = self.model_dump(mode="json")
        values["budgets"] = self.budgets.model_dump(mode="json", exclude_defaults=True)
        if not values["budgets"]:
            del values["budgets"]
        if not self.name:
            del values["name"]
        return write_mapping(values)


@lru_cache(maxsize=256)
def read_settings(text: str) -> Settings:
    """Read `harness.yaml`.

    Raises:
        HarnessError: broken YAML, an unknown key, a wrong value or another format version.
    """
    values = read_mapping(text, path=PATH)
    check_api(values, path=PATH)
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise explain(error, path=PATH) from None


def check_api(values: object, *, path: str) -> None:
    """Refuse another format version before anything else is read.

    Raises:
        HarnessError: `api` is there and is not the one this runtime reads.
    """
    api = cast("dict[str, object]", values).get("api") if isinstance(values, dict) else None
    if api is not None and (type(api) is not int or api != API):
        msg = f"api {repr(api)[:40]} is not supported; this runtime reads api {API}"
        hint = "a newer format needs a newer runtime"
        raise HarnessError(msg, where=path, hint=hint)


@lru_cache(maxsize=256)
def without_name(text: str) -> str:
    """Cut the top-level `name:` out of `harness.yaml`; the rest stays as it is."""
    root = compose(text)
    if not isinstance(root, yaml.MappingNode):
        return text
    for key, value in pairs_of(root):
        if key.value != "name":
            continue
        if root.flow_style:
            values = read_mapping(text, path=PATH)
            return canonical_json({k: v for k, v in values.items() if k != "name"}) + "\n"
        lines = text.split("\n")
        last = value.end_mark.line + (1 if value.end_mark.column > 0 else 0)
        first = key.start_mark.line
        return "\n".join(lines[:first] + lines[max(last, first + 1) :])
    return text
