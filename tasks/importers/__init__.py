"""Recorded trajectories out of files: one reader per format, one engine around them.

`engine.import_files` opens files and hands them to the reader whose content test fits
(`registry.READERS`); a reader yields drafts or refusals (`draft.py`); `assemble.py` makes rows.
`container.py` and `cutting.py` take files apart without reading them whole, so a broken episode
costs itself and nothing else.
"""
