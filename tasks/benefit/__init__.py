"""Why a model does not benefit from a harness: rate, activation, following, gaps.

rate        paired gain of a model and of a reference, and their ratio
use         which skill is due in a run, whether it was loaded and obeyed
following   checkpoints of a loaded skill looked up in the steps
forks       which points are forked, and what is put before the model
effect      success lift of a cure over forks with common luck
profile     benefit gaps by family and artifact
diagnose    the whole diagnosis over one pair of harnesses

Nothing here runs an episode itself; rollouts are passed in as callbacks.
"""
