"""Long work as a graph of stages: who carries them out, here or on a cluster, and how machines share them."""
