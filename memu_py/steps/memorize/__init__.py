"""Steps that take things in."""
