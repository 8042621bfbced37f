"""The room of worlds that ship with the product: what they share, so that a world is only itself.

frame        `Blueprint` and the environment made of one
splits       sizes and numbers of the splits, families interleaved
prints       the fingerprint: everything that determines an episode
faults       the fault table of a world, played by the simulated models
cues         the cue table of a world: what its texts can say about each fault
hint_cues    readers of what hints say in every world: repetition

A new world is a package beside this one with
1. data: problems with a `task`, drawn by split (`draw_split`), and gold texts where it has some;
2. tools: `ToolSpec`s, and a world class that acts on calls, lists commands, snapshots, restores;
3. a verifier: the world's `verdict`, usually in a `checker` module;
4. a cue table and a fault table, and a policy that solves every task (for simulated models);
and a `create` that makes an `EmbeddedEnvironment` of the blueprint. It is registered as an entry
point of `tackroom.environments` and in `registry.EMBEDDED`, and is forbidden to editors, gate and
annotator in the import contracts.
"""
