"""Exports of other programs, as the conversations that they hold."""
