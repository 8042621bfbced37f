"""Prefect flows, one file each; a flow reads as a table of contents of stages."""
