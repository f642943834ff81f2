"""One process that serves the REST API, the OpenAI-compatible API, MCP and the web pages."""
