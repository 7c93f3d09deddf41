"""Stores: one Protocol, one schema, one file per dialect."""
