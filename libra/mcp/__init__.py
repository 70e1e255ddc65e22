"""The Model Context Protocol over standard input and output: a thin client of the running Libra."""
