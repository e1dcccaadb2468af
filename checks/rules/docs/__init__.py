"""Rules about documentation."""
