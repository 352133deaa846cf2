"""Agents that are not trained here: behind an address, behind a chat-completion server, or in a few lines of Python.

Each is a policy (`vnla.agents.policy`), observes what any policy observes (`vnla.observation`), walks by the same rules and
is scored by the same metrics as a trained agent (`vnla.remote.episode`, `vnla.remote.evaluation`). Whatever is wrong with
an answer is counted as the agent's error. `docs/remote.md` has the protocol.

HTTP is spoken with `http.client` of the standard library, from a few threads: a call is one small request to one host, of
which we need a kept connection, a bound on time and size, and nothing that a larger library would add.
"""
