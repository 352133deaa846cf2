"""The mind for learning on a GPU."""
