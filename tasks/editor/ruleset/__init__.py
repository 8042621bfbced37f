"""Source of the rules that the editor `rules` writes into a harness.

Each function is complete in itself: it is read as text, its keyword parameters become
assignments at its top, and it runs in the sandbox of the harness. Only `re` and `json` are
used. The same function runs on the host when the editor checks its own proposal.
"""
