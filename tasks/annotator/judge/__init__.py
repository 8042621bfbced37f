"""An independent pass over failures by a model: what it is told, shown, and held to."""
