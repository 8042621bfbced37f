"""Editor `random`: seeded shuffles of what tasks, tools and observations say."""

import json
import random
import re

from tasks.editor.decoys.decoy import DecoyEditor, decoy_draft, rule_source, skill_source
from tasks.editor.facts import Facts
from tasks.editor.generators.draft import Draft


def draw_random(facts: Facts) -> list[Draft]:
    """Five drafts for each layer, drawn with the seed of the brief."""
    draw = random.Random(f"random-editor/{facts.brief.seed}/{facts.brief.round}")
    words = _words(facts)
    tools = sorted(facts.tools) or ["tool"]
    drafts: list[Draft] = []
    for number in range(1, 6):
        drafts += [
            _contract(draw, words, tools, number),
            _skill(draw, words, tools, number),
            _action(draw, words, tools, number),
            _regulation(draw, words, tools, number),
        ]
    return drafts


def _words(facts: Facts) -> list[str]:
    found = {
        word for run in facts.runs for word in re.findall(r"[A-Za-z]{3,12}", run.task_text[:2000])
    }
    return sorted(found) or ["work", "task", "step", "call", "value"]


def _sentence(draw: random.Random, words: list[str], tools: list[str]) -> str:
    picked = [*draw.choices(words, k=9), f"`{draw.choice(tools)}`"]
    draw.shuffle(picked)
    return " ".join(picked) + "."


def _contract(draw: random.Random, words: list[str], tools: list[str], number: int) -> Draft:
    text = _sentence(draw, words, tools)
    return decoy_draft("contract", f"Note {number}", text, "random_text", "Random sentence")


def _skill(draw: random.Random, words: list[str], tools: list[str], number: int) -> Draft:
    name = f"random-{number}"
    trigger = json.dumps({"any": draw.choices(words, k=3)})
    body = "\n".join(f"{step}. {_sentence(draw, words, tools)}" for step in (1, 2, 3))
    text = skill_source(name, "Drawn at random.", trigger, body)
    return decoy_draft("skills", name, text, "random_skill", "Random skill")


def _action(draw: random.Random, words: list[str], tools: list[str], number: int) -> Draft:
    name = f"rule_random_action_{number}"
    lines = [
        f"if action.get('tool') == {draw.choice(tools)!r} and "
        f"context['step'] == {draw.randint(1, 8)}:",
        f"    return {{'kind': 'block', 'message': {_sentence(draw, words, tools)!r}}}",
        "return None",
    ]
    text = rule_source(name, "actions", "Drawn at random.", lines)
    return decoy_draft("actions", name, text, "random_rule", "Random block")


def _regulation(draw: random.Random, words: list[str], tools: list[str], number: int) -> Draft:
    name = f"rule_random_hint_{number}"
    lines = [
        f"if len(history) == {draw.randint(1, 8)}:",
        f"    return {{'kind': 'hint', 'message': {_sentence(draw, words, tools)!r}}}",
        "return None",
    ]
    text = rule_source(name, "regulation", "Drawn at random.", lines)
    return decoy_draft("regulation", name, text, "random_rule", "Random hint")


RANDOM_EDITOR = DecoyEditor("random", draw_random)
