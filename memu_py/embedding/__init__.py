"""Embedders: one Protocol, one file per provider, and a cache by content."""
