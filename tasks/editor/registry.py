"""Editors in the words of the command line: `rules`, `null`, `harmful`, `random`, `openai:NAME`."""

from difflib import get_close_matches

from schemas.errors import ConfigError
from tasks.editor.coding_agent import ChatClient, CodingAgentEditor
from tasks.editor.decoys.harmful import HARMFUL_EDITOR
from tasks.editor.decoys.shuffled import RANDOM_EDITOR
from tasks.editor.decoys.useless import NULL_EDITOR
from tasks.editor.protocols import Editor
from tasks.editor.rules_editor import RulesEditor

NAMES = ("rules", "null", "harmful", "random")
_DECOYS: dict[str, Editor] = {
    "null": NULL_EDITOR,
    "harmful": HARMFUL_EDITOR,
    "random": RANDOM_EDITOR,
}


def create_editor(word: str, client: ChatClient | None = None) -> Editor:
    """Make the editor a user named; `openai:NAME` needs a client for that endpoint.

    Raises:
        ConfigError: there is no such editor, or it lacks its client.
    """
    if word == "rules":
        return RulesEditor()
    if word in _DECOYS:
        return _DECOYS[word]
    if word.startswith("openai:") and len(word) > len("openai:"):
        if client is None:
            what = f"editor {word[:80]!r} has no model behind it"
            raise ConfigError(what, hint="configure the endpoint under [models.NAME]")
        return CodingAgentEditor(word, client)
    near = get_close_matches(word, NAMES, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"editors: {', '.join(NAMES)}, openai:NAME"
    what = f"there is no editor {word[:80]!r}"
    raise ConfigError(what, hint=hint)
