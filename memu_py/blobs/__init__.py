"""Originals as bytes, and which files may be read."""
