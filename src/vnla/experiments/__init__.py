"""Whole experiments, each one command: those of the paper, and those that go past it."""
