"""The compiled world: graph, actions, tables of every look-up, budgets, and the navigation teacher."""
