"""A world in words: what is in view, for agents that cannot see; and two that walk by it."""
