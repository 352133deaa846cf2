"""Who helps an agent, and how: the advisor and its words, help policies, the help teacher, who acts."""
