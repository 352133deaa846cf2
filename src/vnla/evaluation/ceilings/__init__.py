"""What is left to win, and in what: an agent as it is, and with one thing after the other done as well as it can be."""
