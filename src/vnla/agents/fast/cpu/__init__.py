"""The mind for learning on a CPU."""
