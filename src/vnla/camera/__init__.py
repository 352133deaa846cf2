"""The simulator's camera: what a view is, and one picture all around in place of the views. It knows of no house."""
