"""The service over HTTP. Only `memu serve` loads this room; it needs the extra `server`."""
