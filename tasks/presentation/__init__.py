"""Pages for people from rows: pure rendering, for a terminal and as HTML.

A builder (`trajectory`, `edit`, `report`) turns rows into a `document.Document`; `terminal` and
`page` render any document. Everything a model or a file said goes through `cutting.shown`.
"""
