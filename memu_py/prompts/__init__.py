"""What models are told: one file a task and language, each replaceable by a file of one's own."""
