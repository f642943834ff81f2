"""What researchers look at: figures of one debate, of many together, and of two side by side."""
