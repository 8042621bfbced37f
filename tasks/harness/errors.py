"""The two ways the runtime refuses: a harness that cannot be used, a sandbox that is gone."""


class HarnessError(Exception):
    """A harness, or a part of one, cannot be used; the message is one line.

    Attributes:
        where: file and line the problem stands at, such as `actions.py:12`; may be empty.
        what: what is wrong.
        hint: what was expected or what to do; may be empty.
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.where = where
        self.what = " ".join(what.split())
        self.hint = " ".join(hint.split())
        message = f"{where}: {self.what}" if where else self.what
        super().__init__(f"{message} ({self.hint})" if hint else message)


class SandboxError(Exception):
    """The sandbox itself cannot run anything; no rule is to blame."""
