"""Speech to text: the engines behind one contract."""
