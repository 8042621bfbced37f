"""Editor `null`: inert text, unreachable rules, skills that are never found."""

import json

from schemas.ids import sha256_hex
from tasks.editor.decoys.decoy import DecoyEditor, decoy_draft, rule_source, skill_source
from tasks.editor.facts import Facts
from tasks.editor.generators.draft import Draft

_TEXTS = (
    "Take the time that the work needs.",
    "Good work is done with care and attention.",
    "Every piece of work has a beginning and an end.",
    "A calm mind sees more than a hurried one.",
    "What is worth doing is worth doing well.",
)
_NEVER_ACTION = (
    "context['step'] < 0",
    "len(context['history']) > 1000000",
    "(action.get('raw_text') or '').startswith(WORD)",
    "action.get('tool') == WORD",
    "context['task_text'] == WORD",
)
_NEVER_HISTORY = (
    "context['step'] < 0",
    "len(history) > 1000000",
    "bool(history) and history[-1]['observation'] == WORD",
    "(context['remaining_steps'] or 0) > 1000000",
    "context['task_text'] == WORD",
)


def never_said(seed: int, number: int) -> str:
    """A word that no task holds."""
    return "".join(chr(ord("g") + int(digit, 16)) for digit in sha256_hex(f"{seed}/{number}")[:20])


def draw_useless(facts: Facts) -> list[Draft]:
    """Five drafts for each layer."""
    drafts: list[Draft] = []
    for number in range(5):
        word = never_said(facts.brief.seed, number)
        drafts += [
            _contract(number),
            _skill(number, word),
            _action(number, word),
            _regulation(number, word),
        ]
    return drafts


def _contract(number: int) -> Draft:
    title = f"Remark {number + 1}"
    return decoy_draft("contract", title, _TEXTS[number], "null_text", "Add a general remark")


def _skill(number: int, word: str) -> Draft:
    name = f"remark-{number + 1}"
    text = skill_source(name, f"Notes on {word}.", json.dumps({"all": [word]}), _TEXTS[number])
    return decoy_draft("skills", name, text, "null_skill", "Add a skill that is never found")


def _action(number: int, word: str) -> Draft:
    name = f"rule_unreachable_{number + 1}"
    condition = _NEVER_ACTION[number].replace("WORD", repr(word))
    lines = [f"if {condition}:", "    return {'kind': 'block', 'message': 'Wait.'}", "return None"]
    text = rule_source(name, "actions", "Holds in no episode.", lines)
    return decoy_draft("actions", name, text, "null_rule", "Add an unreachable action rule")


def _regulation(number: int, word: str) -> Draft:
    name = f"rule_silent_{number + 1}"
    condition = _NEVER_HISTORY[number].replace("WORD", repr(word))
    lines = [f"if {condition}:", "    return {'kind': 'hint', 'message': 'Wait.'}", "return None"]
    text = rule_source(name, "regulation", "Holds in no episode.", lines)
    return decoy_draft("regulation", name, text, "null_rule", "Add an unreachable hint")


NULL_EDITOR = DecoyEditor("null", draw_useless)
