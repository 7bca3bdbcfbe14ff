"""Commands about the papers: their bounds, and their tables and figures."""
