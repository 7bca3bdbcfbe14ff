"""Models as SQL: one SELECT statement."""
