"""Layers that the agent's equations are written with: recurrent cells, deferred products, cheap dropout."""
