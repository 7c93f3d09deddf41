"""Chat models, and the clients that chat and embedding models of a provider share."""
