"""The panel as an agent for editors, over the Agent Client Protocol (ACP) on stdin and stdout.

JSON-RPC, a message a line, without a library: `connection.py` carries the messages, `agent.py`
answers them.
"""
