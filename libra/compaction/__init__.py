"""How history becomes short: clusters, protected shards, extractive summaries and their fidelity (memory model §8)."""
