"""What many debates say, and how sure that is: pure figures over arrays, with numpy."""
