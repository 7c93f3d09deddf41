"""From what came in to text and segments: sources, detection, parsers, alignment."""
