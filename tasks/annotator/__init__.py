"""Failure annotation by rule priority: profiles, rules with evidence, one label, patterns.

Read `engine.py` first: `annotate` turns one episode into rule hits and at most one label.
`patterns.py` clusters hits of many episodes into what an editor works on.
"""
