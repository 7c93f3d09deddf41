"""The workflow engine: steps by signature, pipelines as YAML. It knows nothing of memory."""
