"""Views for researchers: figures of one debate, of many together, and of two side by side."""
