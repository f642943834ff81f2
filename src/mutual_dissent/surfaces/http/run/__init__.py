"""One process with its sockets, and the browser that it opens."""
