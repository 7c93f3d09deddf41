"""Documents: PDF, office files, web pages, books, tables and mail, each read in a process of its own."""
