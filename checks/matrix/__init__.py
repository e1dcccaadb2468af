"""Master config entries become benchmark points, as the repository's own generator makes them."""
