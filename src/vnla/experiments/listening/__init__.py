"""Whether agents do what they are told."""
