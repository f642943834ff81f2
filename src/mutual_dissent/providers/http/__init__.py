"""Calls to vendors over HTTP: sent, streamed, limited, repeated."""
