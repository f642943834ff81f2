"""How people and programs reach the app; they decide nothing."""
