"""The paper's agent once more, by hand: the same equations, faster. Chosen by `Agent.begin`, never needed."""
