"""A debate as a document: Markdown, HTML, JSON, CSV, Parquet, SARIF, or a decision record."""
