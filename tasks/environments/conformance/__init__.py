"""Whether a world keeps the protocol, and what it offers beyond it.

inspection    what a check has found so far: grades, findings, counts, the time it has left
declarations  tools, splits and names as they are declared
solving       the policy must pass every task, doing nothing none
playing       calls for a task, and what came back to them
sameness      equal calls: in the same process, after other episodes, in another process
restoring     snapshot and restore, step by step
hardness      calls that models get wrong
"""
