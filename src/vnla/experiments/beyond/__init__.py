"""Beyond the paper: agents with sensors, trained by reward, who ask by what a request is worth, each beside LEARNED."""
