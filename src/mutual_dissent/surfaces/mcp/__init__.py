"""The panel as an MCP server: twelve tools, resources and prompts, over stdio and HTTP.

Its public names are those of the roundtable protocol: sessions, agents, topics. They are translated
in this package and nowhere else.
"""
