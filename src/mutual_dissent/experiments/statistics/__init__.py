"""Statistics over many debates, with intervals: pure figures over arrays, with numpy."""
