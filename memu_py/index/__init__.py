"""In-process indexes: one for each partition, loaded when first asked and kept fresh from the change log."""
