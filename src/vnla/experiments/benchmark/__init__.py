"""AskNav-Open: a benchmark of when an agent should ask, in houses that are generated anew for every entry.

`definition` says what a version of the benchmark consists of, `houses` makes it, `artefact` describes what is submitted,
`entry` keeps what was measured, `verification` computes all of it again, and `board` shows entries side by side.
"""
