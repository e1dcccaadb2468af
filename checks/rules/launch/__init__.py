"""Rules about how scripts start servers."""
