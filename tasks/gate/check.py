"""The gate before any rollout: static checks, the sandbox probe, replay over train episodes."""

from collections.abc import Sequence

from schemas.episode import Episode
from schemas.fields import Layer
from tasks.gate.candidate import Candidate
from tasks.gate.findings import Checked, Finding
from tasks.gate.replay import replay_candidate
from tasks.gate.static import StaticContext, changed_artifacts, check_static
from tasks.gate.touch import RULE_LAYERS, Replayer
from tasks.harness.probe import probe


async def check_candidate(
    candidate: Candidate,
    context: StaticContext,
    episodes: Sequence[Episode],
    replayer: Replayer,
) -> Checked:
    """Everything that can be said about a candidate without a rollout; never spends a slot."""
    findings = check_static(candidate, context)
    if not findings:
        findings = await probe_rules(candidate, replayer)
    if findings:
        return Checked(candidate, "static", tuple(findings))
    result = await replay_candidate(candidate, episodes, replayer)
    return Checked(candidate, "replay", result.findings, result.row, result.predictions)


async def check_candidates(
    candidates: Sequence[Candidate],
    context: StaticContext,
    episodes: Sequence[Episode],
    replayer: Replayer,
) -> list[Checked]:
    """Check the candidates of a round; a second one that makes the same harness is a duplicate."""
    checked: list[Checked] = []
    made: dict[str, str] = dict(context.known)
    for candidate in candidates:
        current = context.with_known(made)
        checked.append(await check_candidate(candidate, current, episodes, replayer))
        made.setdefault(candidate.child.harness_id, f"made by {candidate.edit_id}")
    return checked


async def probe_rules(candidate: Candidate, replayer: Replayer) -> list[Finding]:
    """Try the changed rules on fixtures: they must run, be quick and keep their contract."""
    findings: list[Finding] = []
    changed = set(changed_artifacts(candidate.parent, candidate.child).values())
    for layer in RULE_LAYERS:
        if candidate.parent.files[f"{layer}.py"] == candidate.child.files[f"{layer}.py"]:
            continue
        findings += await _probe_layer(candidate, layer, changed, replayer)
    return findings


async def _probe_layer(
    candidate: Candidate, layer: Layer, changed: set[str], replayer: Replayer
) -> list[Finding]:
    if layer not in ("actions", "regulation"):
        return []
    source = candidate.child.files[f"{layer}.py"]
    found = await probe(layer, source, replayer.sandbox)
    concerned = [one for one in found if not one.rule or one.rule in changed]
    return [
        Finding("static", f"{one.rule or layer}: {one.kind}: {one.message}."[:400])
        for one in concerned
    ]
