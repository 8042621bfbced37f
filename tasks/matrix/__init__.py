"""An evaluation as a matrix: which cells there are, what is compared, what the numbers say."""
