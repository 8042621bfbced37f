"""Action rules that refuse a call which cannot succeed."""

from tasks.editor.facts import MIN_SUCCESSES, Facts
from tasks.editor.generators.draft import Draft, Target
from tasks.editor.protocol_facts import Order, find_orders
from tasks.editor.rule_text import render_rule
from tasks.editor.ruleset import block

MIN_FIRES = 2
AGREEMENT = (
    *("yes", "yeah", "yep", "confirm", "confirmed", "agree", "correct", "right"),
    *("proceed", "go", "ahead", "sure", "please", "okay", "ok"),
)
"""Words by which users agree."""


def known_failure_rule(facts: Facts, target: Target) -> list[Draft]:  # noqa: ARG001
    """Propose refusing a call that has just failed with nothing changed since."""
    parameters = {"non_progress": tuple(facts.brief.non_progress)}
    rule = block.rule_block_known_failure
    probe = facts.probe(rule, parameters, "call")
    if len(probe.acts) < MIN_FIRES or probe.is_false_fire:
        return []
    if any(not fire.recorded.is_error for fire in probe.failures):
        return []
    reason = f"Failed calls are repeated word for word; seen in {len(probe.acts)} failed runs."
    return [
        Draft(
            layer="actions",
            name=rule.__name__,
            body=render_rule(rule, reason, parameters),
            kind="block_rule",
            title="Refuse a call that has just failed unchanged",
            root_cause="The same call is sent again after it failed, and fails again.",
            why_safe="Every such call in the stored runs failed again.",
            watch="Worlds in which the same call can work later without another action.",
            risks=probe.tasks_at_risk,
            acts=probe.acts,
        )
    ]


def order_rules(facts: Facts, target: Target) -> list[Draft]:
    """Propose refusing a tool before the tool that every success calls first."""
    ids = target.run_ids
    orders = [
        order
        for order in find_orders(facts)
        if len(set(order.violations) & ids) >= MIN_FIRES and order.support >= 2 * MIN_SUCCESSES
    ]
    orders.sort(key=lambda order: (-len(set(order.violations) & ids), order.tool))
    drafts = [_order_draft(facts, order) for order in orders[:2]]
    return [draft for draft in drafts if draft]


def _order_draft(facts: Facts, order: Order) -> Draft | None:
    rule = block.rule_block_before_required
    parameters = {"tool": order.tool, "required": order.required}
    probe = facts.probe(rule, parameters, "call")
    if probe.is_false_fire:
        return None
    names = " or ".join(order.required)
    reason = (
        f"{order.tool} came before {names} in {len(order.violations)} failed runs and in none of"
        f" {order.support} successes."
    )
    return Draft(
        layer="actions",
        name=f"{rule.__name__}_{_slug(order.tool)}",
        body=render_rule(rule, reason, parameters, f"{rule.__name__}_{_slug(order.tool)}"),
        kind="block_rule",
        title=f"Refuse `{order.tool}` before {names}",
        root_cause=f"`{order.tool}` is called before anything was learned from {names}.",
        why_safe=f"All {order.support} successes that call it have called {names} before.",
        watch="Tasks that need no lookup at all.",
        risks=probe.tasks_at_risk,
        acts=probe.acts,
    )


def consent_rule(facts: Facts, target: Target) -> list[Draft]:
    """Propose refusing changes the user has not agreed to, where every success had a yes."""
    tools = tuple(name for name in sorted(target.texts("tool")) if name in facts.tools)
    rule = block.rule_block_unconfirmed
    parameters = {
        "tools": tools,
        "words": AGREEMENT,
        "talk": tuple(sorted(facts.brief.talk_tools)),
    }
    probe = facts.probe(rule, parameters, "call")
    calls = sum(move.tool in tools for run in facts.successes for move in run.good_calls)
    if len(probe.tasks) < MIN_FIRES or probe.successes or calls < MIN_SUCCESSES:
        return []
    names = ", ".join(f"`{tool}`" for tool in tools)
    reason = f"{names} ran without a yes of the user in {len(probe.acts)} failed runs."
    return [
        Draft(
            layer="actions",
            name=rule.__name__,
            body=render_rule(rule, reason, parameters),
            kind="block_rule",
            title=f"Refuse {names} before the user has agreed",
            root_cause="Data is changed before the user has agreed to the change.",
            why_safe=f"All {calls} such calls in stored successes came after a yes.",
            watch="Users who agree in other words or another language.",
            acts=probe.acts,
        )
    ]


def _slug(name: str) -> str:
    return "".join(char if char.isalnum() else "_" for char in name.lower())[:40]
