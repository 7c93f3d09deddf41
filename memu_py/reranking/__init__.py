"""Rerankers: models that read a question and a text together; one Protocol, one file per provider."""
