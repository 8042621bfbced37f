"""Editors that exist to test the gate: nothing they propose deserves to be accepted."""
