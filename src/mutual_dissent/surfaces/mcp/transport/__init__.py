"""Ways to reach the MCP server: a pipe, or HTTP."""
