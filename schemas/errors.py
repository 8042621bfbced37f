"""The errors users meet, named by the boundary that was crossed.

TackroomError
├── ConfigError          what the user asked for or configured cannot be used
├── DataContractError    rows or files break their contract
├── EnvironmentFault     a world crashed, hung or could not be graded
│   └── UserFault        the model that plays the user of a world is down, or says nothing
├── ModelFault           a model endpoint is down, refuses or answers with nonsense
│   └── ContextOverflow  the conversation no longer fits into the model
├── AgentFault           an agent program could not be run
├── CapReached           a run has spent what it may spend on models
├── WarehouseError       landing, ingest or publishing could not be carried out
└── EditRejected         a candidate harness is not acceptable as it stands

A message says what happened, where, what was expected and what to do. The parts stay
readable as attributes so that a caller can act on them.
"""


class TackroomError(Exception):
    """Base of every error that is reported to a user as one line.

    Attributes:
        what: what happened and where.
        hint: what the user can do about it; empty when nothing useful can be said.
    """

    exit_code = 1

    def __init__(self, what: str, *, hint: str = "") -> None:
        self.what = what
        self.hint = hint
        super().__init__(f"{what} ({hint})" if hint else what)


class ConfigError(TackroomError):
    """A setting, name, option or folder given by the user cannot be used."""

    exit_code = 2


class DataContractError(TackroomError):
    """Rows of a table or episodes of a file break their contract."""

    def __init__(
        self, what: str, *, table: str = "", failed: int = 0, example: str = "", hint: str = ""
    ) -> None:
        self.table = table
        self.failed = failed
        self.example = example
        super().__init__(what, hint=hint)


class EnvironmentFault(TackroomError):
    """A world failed as infrastructure; the episode says nothing about the agent."""


class UserFault(EnvironmentFault):
    """The model that plays the user of a world failed; the episode says nothing about the agent.

    Attributes:
        kind: as of `ModelFault`; `silent` when what it said cannot be used.
    """

    def __init__(self, what: str, *, kind: str, hint: str = "") -> None:
        self.kind = kind
        super().__init__(what, hint=hint)


class ModelFault(TackroomError):
    """A model endpoint failed as infrastructure; the episode says nothing about the agent.

    Attributes:
        kind: `unavailable`, `refused`, `malformed`, `changed` or `unseen_prompt`.
    """

    def __init__(self, what: str, *, kind: str = "unavailable", hint: str = "") -> None:
        self.kind = kind
        super().__init__(what, hint=hint)


class ContextOverflow(ModelFault):
    """The conversation is longer than the model takes; an end of the episode, no fault."""


class AgentFault(TackroomError):
    """An agent program of the user could not be run; the episode says nothing about it."""


class CapReached(TackroomError):
    """A run may spend no more; what it made is stored, and the same command goes on from there.

    Attributes:
        tokens: tokens it spent.
        usd: dollars it spent.
    """

    exit_code = 3

    def __init__(self, what: str, *, tokens: int = 0, usd: float = 0.0, hint: str = "") -> None:
        self.tokens = tokens
        self.usd = usd
        super().__init__(what, hint=hint)


class WarehouseError(TackroomError):
    """The warehouse could not take, check or publish what was landed."""


class EditRejected(TackroomError):
    """A candidate harness breaks a rule that every edit must keep.

    Attributes:
        reason: reason code of the gate, such as `static` or `leak`.
    """

    def __init__(self, what: str, *, reason: str = "static", hint: str = "") -> None:
        self.reason = reason
        super().__init__(what, hint=hint)
