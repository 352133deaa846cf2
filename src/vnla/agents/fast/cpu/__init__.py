"""The policy state for learning on a CPU."""
