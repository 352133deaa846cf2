"""Studies with people: consent, practice, conditions in counter-balanced order, records, and what they export to."""
