"""The vocabulary of trigger signatures: what a hit says to an editor, without episode values.

A signature is canonical JSON `{"kind": ..., ...}`. Each kind names the keys it carries and the
earliest lifecycle point at which its cause can be detected. `docs/annotation.md` is the prose.
"""

from dataclasses import dataclass

from schemas.fields import Layer


@dataclass(frozen=True)
class SignatureKind:
    """One kind of signature.

    Attributes:
        keys: keys beside `kind`; every one is present, with null where it is unknown.
        layer: earliest lifecycle point at which the cause can be detected.
        by_family: whether the cure belongs to one task family.
    """

    keys: tuple[str, ...]
    layer: Layer
    by_family: bool = False


KINDS: dict[str, SignatureKind] = {
    # not attributable
    "grader": SignatureKind(("reason",), "contract"),
    "oracle": SignatureKind(("reason",), "contract"),
    "user": SignatureKind(("reason",), "contract"),
    "infrastructure": SignatureKind(("reason",), "contract"),
    # action realization
    "call_in_text": SignatureKind(("style",), "actions"),
    "answer_in_text": SignatureKind(("tool",), "actions"),
    "command_in_text": SignatureKind(("tool", "argument"), "actions"),
    "speech_in_text": SignatureKind(("tool", "argument"), "actions"),
    "unknown_tool": SignatureKind(("tool", "nearest"), "actions"),
    "arguments_unreadable": SignatureKind(("tool", "error"), "actions"),
    "argument_missing": SignatureKind(("tool", "argument"), "contract"),
    "argument_unknown": SignatureKind(("tool", "argument"), "actions"),
    "argument_type": SignatureKind(("tool", "argument", "expected", "got"), "actions"),
    "argument_value": SignatureKind(("tool", "argument", "constraint"), "contract"),
    "call_rejected": SignatureKind(("tool", "error"), "contract"),
    "inadmissible_command": SignatureKind(("tool", "argument", "form", "verb"), "actions"),
    "sql_error": SignatureKind(("tool", "argument", "class", "fix"), "actions"),
    "statement_count": SignatureKind(("tool", "argument", "error"), "contract"),
    # environment contract
    "required_tool_missing": SignatureKind(("tool", "after"), "contract"),
    "write_claimed": SignatureKind(("tool",), "contract"),
    "wrong_tool": SignatureKind(("tool", "expected"), "contract"),
    "handover": SignatureKind(("tool",), "contract"),
    "order": SignatureKind(("tool", "requires"), "actions"),
    "procedure": SignatureKind(("tool", "requires"), "skills", by_family=True),
    "state_precondition": SignatureKind(("tool", "argument", "verb", "enables"), "contract"),
    "lookup_missing": SignatureKind(("tool",), "skills", by_family=True),
    "value_not_observed": SignatureKind(("tool", "argument", "verb"), "skills", by_family=True),
    "consent_missing": SignatureKind(("tool",), "actions"),
    "argument_not_agreed": SignatureKind(("tool", "argument"), "contract"),
    "write_unexpected": SignatureKind(("tool",), "contract"),
    "write_refused": SignatureKind(("tool", "error"), "contract"),
    "precondition": SignatureKind(("tool", "reason"), "contract"),
    "search_constraint": SignatureKind(("tool", "argument", "constraint"), "contract"),
    "answer_shape": SignatureKind(("tool", "argument", "shape"), "contract"),
    # trajectory degeneration
    "repetition": SignatureKind(("form", "tool"), "regulation"),
    "strategy": SignatureKind(("form", "tool"), "regulation"),
    "no_progress": SignatureKind(("form", "tool"), "regulation"),
    # residual reasoning
    "residual": SignatureKind(("subtype", "tool"), "skills", by_family=True),
}
