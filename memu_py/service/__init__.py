"""MemoryService and its mixins."""
