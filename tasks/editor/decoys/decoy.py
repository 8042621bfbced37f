"""What decoys share: twenty drafts over the four layers become proposals, never revised."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from schemas.fields import Layer
from tasks.editor.facts import Facts, mine
from tasks.editor.generators.draft import Draft
from tasks.editor.manifest import Manifest
from tasks.editor.protocols import Brief, Proposal
from tasks.editor.rules_editor import propose_draft

COUNT = 20


@dataclass(frozen=True)
class DecoyEditor:
    """An editor that fills its drafts in from the tools and successes of any environment."""

    name: str
    draw: Callable[[Facts], Sequence[Draft]]
    is_decoy: bool = True

    async def propose(self, brief: Brief) -> list[Proposal]:
        """Propose every draft that the harness takes; children are distinct."""
        found: dict[str, Proposal] = {}
        for draft in self.draw(mine(brief)):
            proposal = propose_draft(brief.harness, draft, Manifest())
            if proposal:
                found.setdefault(proposal.child.harness_id, proposal)
        return list(found.values())

    async def revise(self, proposal: Proposal, findings: Sequence[str]) -> Proposal | None:  # noqa: ARG002
        """Decoys are not revised."""
        return None


def decoy_draft(layer: Layer, name: str, body: str, kind: str, title: str) -> Draft:
    """A draft that makes no claims."""
    return Draft(layer, name, body, kind, title, root_cause="", why_safe="")


def rule_source(name: str, layer: Layer, reason: str, lines: Sequence[str]) -> str:
    """Source of a rule from its body lines."""
    first = "action" if layer == "actions" else "history"
    body = "\n".join(f"    {line}" for line in lines)
    return f'def {name}({first}, context):\n    """{reason}"""\n{body}\n'


def skill_source(name: str, description: str, trigger: str, body: str) -> str:
    """Text of a SKILL.md; `trigger` is JSON."""
    return f"---\nname: {name}\ndescription: {description}\ntrigger: {trigger}\n---\n\n{body}\n"
