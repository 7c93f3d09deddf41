"""Migrations of the schema; `memu migrate` runs them."""
