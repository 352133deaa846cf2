"""The page in the browser: watch an agent, help it, beat it."""
