"""What people look at: floor plans of a house and of a walk through it, as a picture and in the terminal."""
