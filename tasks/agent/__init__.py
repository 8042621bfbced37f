"""The agent's side of an episode: protocols, our loop, chat models and built-in models."""
