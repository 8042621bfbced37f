"""Evidence before acceptance: what an edit must show before it changes the harness.

candidate   what is judged, settings, how rollouts are got
static      what the files alone tell; leak: secrets in added text; hygiene: what no text may
            hold; sameness: refused edits in another form
directives  what a text asks for; contradiction: against what a run did; risk: what may break
replay      what it would have done to stored episodes; touch: whether it can change a run
exposure    forks of train runs that rank edits and refuse harm
noise       the harness in force against itself
bundles     several edits as one harness
arms, pairs two harnesses on the same tasks
paired      the e-process over fixed blocks
budget      regressions, must-pass tasks, tokens
blame       which edit of a bundle loses, or wins, a task
reskin      won tasks under other names
prune       removing what is not needed, by non-inferiority
decide      one round: slots, fallbacks, a decision for every edit; state: so far; attempt: a slot
imports     the gate without a live world
power       what a number of pairs can show
findings    reason codes, verdicts, rows

Engines only: rollouts come through a callback, rows go back to the caller.
"""
