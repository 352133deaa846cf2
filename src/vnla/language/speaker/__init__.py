"""A network that speaks: from what is seen along a plan, and its actions, to words."""
