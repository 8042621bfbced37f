"""The warehouse: landing, ingest, published snapshots, and the read-only query surface.

Start at `store.py` (the `Warehouse` class); `columns.py` derives everything else from the row
models. A stage lands rows (`landing.py`), one ingester takes them in (`ingest.py`), a copy is
published (`snapshot.py`), and everybody reads the newest copy (`reader.py`).
"""
