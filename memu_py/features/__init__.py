"""What memory knows beyond its items: relations, profiles, feelings, reflection."""
