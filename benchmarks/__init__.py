"""Speed and memory, measured by `make bench`; results are written to benchmarks/results/."""
