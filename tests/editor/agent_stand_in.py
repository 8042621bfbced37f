"""A small program that stands in for an external coding agent; its first word says what it does."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

SECTION = "## Final call\n\nEvery task ends with a call of `hand_in`.\n"
RULE = '''
def rule_note(action, context):
    """Refuses a call without a tool."""
    return {"kind": "block", "message": "Name a tool."} if action["tool"] == "no_tool" else None
'''
HARNESS = Path("harness")


def edit():
    """Change two layers and say why for one of them."""
    Path("harness/contract.md").write_text(SECTION)
    Path("harness/actions.py").write_text(RULE)
    run = sorted(Path("evidence/runs").iterdir())[0].stem
    claim = {
        "artifact": "Final call",
        "title": "End with hand_in",
        "layer": "contract",
        "evidence": [{"trajectory_id": run, "step": 0}],
        "root_cause": "It is missing.",
        "predicted_fixes": json.loads(Path("evidence/train_tasks.json").read_text())[:1],
        "predicted_risks": [],
        "why_safe": "It states a fact.",
        "watch": "Early calls.",
    }
    Path("edits.json").write_text(json.dumps([claim]))
    sys.stdout.write(f"done {Path('BRIEF.md').stat().st_size > 1000}\n")


def attack():
    """Leave behind everything that must not come back."""
    (HARNESS / "contract.md").unlink()
    (HARNESS / "contract.md").symlink_to("/etc/hostname")
    (HARNESS / "harness.yaml").write_text("api: 1\nenvironment: desk\nbudgets: {hints: 999}\n")
    (HARNESS / "actions.py").write_text("x" * 50_000_000)
    (HARNESS / "regulation.py").write_bytes(b"\xff\xfe\x00broken")
    (HARNESS / "notes.txt").write_text("extra")
    (HARNESS / "__init__.py").write_text("")
    os.mkfifo(HARNESS / "workflow.yaml")
    (HARNESS / "deep").mkdir()
    (HARNESS / "deep" / "a" / "b" / "c").mkdir(parents=True)
    (HARNESS / "skills").mkdir(exist_ok=True)
    (HARNESS / "skills" / "linked").symlink_to("/etc")
    (HARNESS / "skills" / "UPPER").mkdir()
    (HARNESS / "skills" / "UPPER" / "SKILL.md").write_text("x")
    (HARNESS / "skills" / "hidden").mkdir()
    (HARNESS / "skills" / "hidden" / "SKILL.md").write_text("---\nname: hidden\n---\na\u202eb")
    (HARNESS / "skills" / "broken").mkdir()
    (HARNESS / "skills" / "broken" / "SKILL.md").write_text("no front matter")
    Path("outside.txt").write_text("x")
    Path("edits.json").symlink_to("/etc/hostname")


def bad_claims():
    """A manifest that names what there is not."""
    Path("harness/contract.md").write_text(SECTION)
    claim = json.loads(sys.argv[2])
    Path("edits.json").write_text(json.dumps([claim]))


def environment():
    """Print the variables there are."""
    sys.stdout.write(json.dumps(dict(os.environ)))


def talk():
    """Print without end, then fail."""
    for _ in range(2000):
        sys.stdout.write("y" * 1000)
    sys.stderr.write("last words\n")
    sys.exit(3)


def hang():
    """Start children that ignore being asked to end, one in a session of its own; then hang."""
    child = "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    for is_own in (False, True):
        made = subprocess.Popen([sys.executable, "-c", child], start_new_session=is_own)
        with Path(sys.argv[2]).open("a") as file:
            file.write(f"{made.pid}\n")
    time.sleep(600)


def replace_folder():
    """Put a link in the place of the harness folder."""
    HARNESS.rename("elsewhere")
    HARNESS.symlink_to("elsewhere")


def mend():
    """Write another text when the brief tells of a refusal."""
    again = "was refused" in Path("BRIEF.md").read_text()
    Path("harness/contract.md").write_text(SECTION + ("\nAlways.\n" if again else ""))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
