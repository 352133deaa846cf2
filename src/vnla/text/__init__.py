"""A world in words: what is in view, and an end-goal read back, for agents that cannot see."""
