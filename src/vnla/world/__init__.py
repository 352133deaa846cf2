"""The compiled world: graph, views, actions, tables of every look-up, budgets, and the navigation teacher."""
