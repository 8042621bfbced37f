"""Embedded worlds: seeded tasks, deterministic tools, a verdict; each a package with `create()`."""
