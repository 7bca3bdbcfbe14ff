"""What every answer shares: its form, the words in which it is read, and its values as JSON knows them."""
