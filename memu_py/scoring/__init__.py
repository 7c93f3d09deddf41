"""Names for what the core computes: profiles, fusion, and the plain-Python reference of each kernel."""
