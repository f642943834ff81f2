"""Debates that belong to the store, not to the connection that started them."""
