"""config.yaml: its models, where it is found, and how it is read."""
