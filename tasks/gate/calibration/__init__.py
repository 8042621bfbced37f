"""How often the gate is wrong: measured by the gate's own code on runs whose truth is known.

bank      recorded outcomes of one unchanged agent, several runs a task
planted   edits with a known effect: some outcomes of the bank are turned round
arena     a world that answers the gate's rollouts from the bank
rivals    acceptance rules that are in use elsewhere
questions what is asked, in which order
measure   many candidates through `decide_round`, and through the rivals beside it

Nothing is a model of the gate: candidates enter through `decide_round`, so slots, blocks, the
e-process, reruns of lost pairs and the token budget are those of a cycle.
"""
