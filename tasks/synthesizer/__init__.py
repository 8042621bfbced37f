"""Training examples for benefit gaps, from train trajectories and their forks.

evidence   what a diagnosis left: points, forks, gaps, checks, episodes
anchored   activation gaps: call the skill here
pairs      following gaps: obey the skill rather than leave it
lengths    cutting the sides of a pair to a like length
guards     what no example may hold
examples   drafts of both kinds as rows
"""
