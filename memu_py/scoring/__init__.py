"""Names for what the Rust core computes: profiles, the peers' own forms, a plain-Python reference of each kernel."""
