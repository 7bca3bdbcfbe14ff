"""Oracles: the definitions by double loop, slow and obvious. Imports nothing of ours."""

from __future__ import annotations
