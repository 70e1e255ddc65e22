"""Memory as files: the records of our own export, and readers of what other memories export.

Pure: bytes and parsed JSON in, records out. Files are opened at the edge (``cli``), records are stored by ``engine``.
"""
