"""Why a model does not benefit from a harness: rate, activation, following, gaps.

rate        paired gain of a model and of a reference, and their ratio
use         which skill is due in a run, whether it was loaded and obeyed
following   checkpoints of a skill looked up in the steps
forks       which points are forked, and what is put before the model
trial       forks of one artifact in two arms that share their luck
activation  the trial of a reference where a call was left out
repair      the trial of a repair where a run left its skill
effect      success lift of a cure, with its lower bound
profile     benefit gaps by family and artifact
diagnose    the whole diagnosis over one pair of harnesses; `rows` tells it as rows

Nothing here runs an episode itself; rollouts are passed in as callbacks.
"""
