"""What an agent learns from a batch of episodes: by imitation as in the paper, by what a request is worth, by reward."""
