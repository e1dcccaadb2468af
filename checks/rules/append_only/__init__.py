"""Rules about pull requests that say they only add points."""
