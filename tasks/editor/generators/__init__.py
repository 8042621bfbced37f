"""Generators: each turns one failure pattern and the mined facts into drafts of one layer.

`plan.py` says which generators answer which trigger signature.
"""
