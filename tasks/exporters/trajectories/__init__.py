"""Stored trajectories in formats that other tools read: chat messages, ATIF, Inspect logs."""
