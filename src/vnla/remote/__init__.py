"""Agents that are not ours: behind an address, behind a chat-completion server, or in a few lines of Python.

A guest is told what there is in plain data and answers with an action or a request (`vnla.remote.guest`); it walks by the
same rules and is scored by the same metrics as a trained agent (`vnla.remote.walk`, `vnla.remote.evaluation`). Whatever is
wrong with its answers is counted as its error. `docs/remote.md` has the protocol.

HTTP is spoken with `http.client` of the standard library, from a few threads: a guest's call is one small request to one
host, of which we need a kept connection, a bound on time and size, and nothing that a larger library would add.
"""
