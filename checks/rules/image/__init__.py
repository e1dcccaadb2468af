"""Rules about container images."""
