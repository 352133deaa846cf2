"""What an advisor can say of a walk, and how: sights, frames, a grammar over them, and an advisor that speaks it."""
