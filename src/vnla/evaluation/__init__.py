"""Evaluation: metrics, runs over several seeds, confidence intervals, results files."""
