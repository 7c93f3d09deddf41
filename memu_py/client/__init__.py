"""The service at a distance: the same methods, over HTTP."""
