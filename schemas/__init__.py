"""What every part agrees on: row models, table registry, ids, settings, errors.

Start at `tables.py`: it names every table, its row model and its key. The package imports
nothing of ours, so anything may import it.
"""
