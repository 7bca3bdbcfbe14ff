"""Models for other systems: SQL to run in a database, ONNX for its runtimes."""
