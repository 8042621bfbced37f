"""Statistics of all engines: pure functions, each with a closed-form fixture in its tests.

proportions   shares with intervals, pass^k
evidence      discordant pairs: exact McNemar, e-values, the e-process
two_arms      unpaired arms with a drawn assignment: e-process and confidence sequence
noninferiority  lower bound of a paired difference for pruning
resampling    paired differences by task, cluster bootstrap
stratified    Mantel-Haenszel, Cochran-Armitage
ratio         ratio of paired means with Fieller limits
agreement     Cohen's kappa, order agreement
weighting     effective sample size, weighted centred least squares
contingency   two shares side by side, Fisher exact
similarity    linear CKA

A value that is not separated from an undefined one is null with a status, never a number.
Nothing here loads numpy or scipy before it is called.
"""
