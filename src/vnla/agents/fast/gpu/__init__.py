"""The policy state for learning on a GPU."""
