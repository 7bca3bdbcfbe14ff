"""What holds for every distribution."""
