"""The store on PostgreSQL: the same SQL as on SQLite, for many machines."""
