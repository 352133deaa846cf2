"""Generated houses: floor plan, furniture, style, viewpoints; deterministic in the seed."""
