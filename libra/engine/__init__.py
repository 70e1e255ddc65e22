"""The verbs: ingest, assemble, compact, remember, and what serves them."""
