"""The paper's experiments, tables and figures, as a graph of stages."""
