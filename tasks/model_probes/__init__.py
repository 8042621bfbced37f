"""What an endpoint can do, found out by asking it: one probe a question, within a budget."""
