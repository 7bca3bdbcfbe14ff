"""Compiled loops: arrays in, arrays out; no φ, no options, no checks."""
