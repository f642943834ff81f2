"""A debate as a document: Markdown, HTML, JSON, CSV, Parquet, SARIF, spans, decision record."""
