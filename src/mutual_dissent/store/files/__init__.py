"""Transcripts as files: written, imported, mended."""
