"""Benchmarks: how fast the parts are on this machine, as tables and as JSON, and compared with an earlier time.

    vnla bench all --json today.json
    vnla bench compare yesterday.json today.json

A measurement is a median of several repetitions after a warm-up, or the time of one long piece of work. A training iteration
has a second number beside its time, its floor: what the machine's own matrix products need for the same arithmetic.
"""
