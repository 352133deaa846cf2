"""Trainings: iterations, runs and their folders, several side by side, and agents to use afterwards."""
