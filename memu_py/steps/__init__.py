"""The built-in steps, one a file."""
