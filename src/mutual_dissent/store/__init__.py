"""The append-only event log, its migrations and search; JSON transcripts in and out."""
