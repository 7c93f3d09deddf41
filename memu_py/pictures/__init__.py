"""Pictures: photographs, screenshots and scans, by reading their text and by a model that sees."""
