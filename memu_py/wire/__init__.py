"""What goes between the server and its clients: operations, arguments, problems."""
