"""What is said to the models: Markdown files, filled, fenced and hashed."""
