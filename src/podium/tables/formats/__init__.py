"""How people write numbers, dates and truth values: recognized by column, and read the same way again."""
