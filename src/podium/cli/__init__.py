"""The command ``podium``: parse, call, render."""

from podium.cli.app import main

__all__ = ["main"]
