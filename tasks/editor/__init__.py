"""Editors: from failure patterns to child harnesses with a manifest.

`protocols.py` says what an editor gets and gives. `rules_editor.py` is the editor without a
model: `facts.py` mines what the episodes show, `generators/` turn a pattern and the facts into
edits, `ruleset/` holds the source of the rules they write. `decoys/` are editors that test the
gate. `coding_agent.py` lets a model edit a `workspace.py`.
"""
