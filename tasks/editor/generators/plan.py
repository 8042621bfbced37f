"""Which generators answer which trigger signature, and which bullet when there is none.

The first generator works at the earliest point where the pattern can be detected; the others
add edits in other layers. The kinds are those of `docs/annotation.md`.
"""

from collections.abc import Sequence

from schemas.failures import FailurePatternRow
from tasks.editor.generators import (
    block,
    call_form,
    contract,
    regulation,
    rescue,
    rewrite,
    search,
    shapes,
    skill,
)
from tasks.editor.generators.draft import Generator, Target, signature_kind

_FINAL = (
    contract.final_tool_sentence,
    regulation.next_tool_hint,
    regulation.next_tool_force,
    regulation.budget_hint,
)
_ARGUMENTS = (rewrite.match_schema_rule, shapes.argument_sentence, contract.error_sentences)
_LOOP = (
    regulation.repeat_hint,
    regulation.stall_hint,
    regulation.unvisited_hint,
    block.known_failure_rule,
)
_COMMAND = (rewrite.nearest_command_rule, shapes.command_sentence, regulation.stall_hint)
_REFUSED = (contract.error_sentences, shapes.argument_sentence, block.known_failure_rule)
_FAMILY = (skill.family_skill,)

BY_KIND: dict[str, tuple[Generator, ...]] = {
    "call_in_text": (rescue.rescue_rules, call_form.call_example),
    "command_in_text": (rescue.rescue_rules, call_form.call_example, shapes.command_sentence),
    "answer_in_text": (rescue.rescue_rules, call_form.call_example, contract.final_tool_sentence),
    "speech_in_text": (rescue.rescue_rules, call_form.call_example),
    "unknown_tool": (rewrite.known_tool_rule, shapes.argument_sentence),
    "arguments_unreadable": _ARGUMENTS,
    "argument_missing": _ARGUMENTS,
    "argument_unknown": _ARGUMENTS,
    "argument_type": _ARGUMENTS,
    "argument_value": (shapes.argument_sentence, contract.error_sentences),
    "call_rejected": _REFUSED,
    "inadmissible_command": _COMMAND,
    "sql_error": (rewrite.quote_names_rule, shapes.quoting_sentence, contract.error_sentences),
    "statement_count": (contract.error_sentences,),
    "required_tool_missing": _FINAL,
    "write_claimed": _FINAL,
    "wrong_tool": _FINAL,
    "handover": (contract.handover_sentence, contract.lookup_sentence, *_FAMILY),
    "order": (block.order_rules, contract.order_sentence, *_FAMILY),
    "state_precondition": (contract.precondition_sentence, regulation.stall_hint, *_FAMILY),
    "lookup_missing": (*_FAMILY, contract.lookup_sentence),
    "value_not_observed": _FAMILY,
    "consent_missing": (block.consent_rule, contract.lookup_sentence, *_FAMILY),
    "argument_not_agreed": (block.consent_rule, contract.lookup_sentence),
    "write_unexpected": (contract.lookup_sentence, block.consent_rule, *_FAMILY),
    "write_refused": _REFUSED,
    "search_constraint": (search.search_sentence, contract.error_sentences, *_FAMILY),
    "answer_shape": (shapes.argument_sentence, rewrite.match_schema_rule),
    "repetition": _LOOP,
    "strategy": (
        search.compare_sentence,
        regulation.unvisited_hint,
        regulation.stall_hint,
        *_FAMILY,
    ),
    "no_progress": (regulation.stall_hint, *_LOOP),
    "residual": _FAMILY,
}

BY_BULLET: dict[str, tuple[Generator, ...]] = {
    "AR1": (rescue.rescue_rules, call_form.call_example, contract.final_tool_sentence),
    "AR2": (rewrite.match_schema_rule, rewrite.known_tool_rule, shapes.argument_sentence),
    "AR3": (rewrite.quote_names_rule, shapes.quoting_sentence, contract.error_sentences),
    "EC1": _FINAL,
    "EC2": (block.order_rules, contract.order_sentence, *_FAMILY),
    "EC3": (shapes.argument_sentence,),
    "TD1": _LOOP,
    "TD2": (search.compare_sentence, regulation.unvisited_hint, regulation.stall_hint),
    "TD3": (regulation.stall_hint, *_LOOP),
    "RR": _FAMILY,
}


SWEEP: tuple[Generator, ...] = (
    rescue.rescue_rules,
    call_form.call_example,
    rewrite.match_schema_rule,
    rewrite.known_tool_rule,
    rewrite.quote_names_rule,
    rewrite.nearest_command_rule,
    block.order_rules,
    shapes.argument_sentence,
    contract.final_tool_sentence,
    regulation.next_tool_hint,
    regulation.next_tool_force,
    regulation.repeat_hint,
    regulation.stall_hint,
    regulation.unvisited_hint,
    contract.order_sentence,
)
"""Generators that look at all failures: a run's one label names only its first cause."""


def generators_for(target: Target) -> tuple[Generator, ...]:
    """Pick the generators of a target, best first."""
    return _generators(target.pattern)


def patterns_for(
    generate: Generator, patterns: Sequence[FailurePatternRow]
) -> list[FailurePatternRow]:
    """Pick the patterns that a generator answers."""
    return [pattern for pattern in patterns if generate in _generators(pattern)]


def _generators(pattern: FailurePatternRow) -> tuple[Generator, ...]:
    return BY_KIND.get(signature_kind(pattern)) or BY_BULLET.get(pattern.bullet, ())
