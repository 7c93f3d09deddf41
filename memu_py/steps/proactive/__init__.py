"""What is foreseen: needs, occasions, and whom an event concerns."""
