"""An agent that understands advice in words by what is in view: its sensor of objects, and its navigation module."""
