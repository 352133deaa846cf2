"""What the agent sees, as feature vectors: one for each of the 36 views of every viewpoint."""
