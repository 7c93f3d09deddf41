"""Runnable comparisons; `results/` holds figures with machine and commit."""
