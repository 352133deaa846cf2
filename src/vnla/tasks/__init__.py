"""Object-finding tasks: what an episode asks for, and whole sets of them ready to run."""
