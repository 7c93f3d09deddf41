"""What models on this machine have in common: threads, exports in folders, names to fetch, texts they can take."""
