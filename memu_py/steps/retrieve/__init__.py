"""Steps that answer."""
