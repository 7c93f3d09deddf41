"""What authors of plug-ins and their tests need: fakes, a fixed clock, a scripted model server, contract suites."""
