"""Edits from imported failures, judged by replay alone: there is no live world to try them in."""
