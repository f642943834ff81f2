"""Ways in for people and programs; they call the app and decide nothing."""
