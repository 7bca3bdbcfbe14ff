"""Tables as files: opened, checked, read."""
