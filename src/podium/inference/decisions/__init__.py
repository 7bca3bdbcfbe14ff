"""What acting on a list is worth."""
