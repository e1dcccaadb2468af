"""Rules about files that cannot be read."""
