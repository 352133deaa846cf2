"""Past the paper: agents with senses, trained by reward, who ask by what a request is worth, each beside LEARNED."""
