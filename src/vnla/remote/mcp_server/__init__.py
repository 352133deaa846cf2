"""The world as tools of the Model Context Protocol: `vnla mcp`; `docs/mcp.md` describes it.

A client starts a task, looks, acts and asks by calls of tools. Episodes are those of every evaluation
(`vnla.remote.episode`), and what is kept of them is what `vnla evaluate --agent` keeps (`vnla.remote.folder`).
"""
