"""The one database: schema, writer, snapshots, search. The only package that speaks SQL to ``libra.db``."""
