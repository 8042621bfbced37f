"""Files that a new world of the user's own begins with; data, not code of ours."""
