"""Rules about the draft model: it runs as it was shipped."""
