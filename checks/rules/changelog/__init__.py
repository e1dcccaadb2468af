"""Rules about the changelog."""
