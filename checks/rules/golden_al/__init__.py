"""Rules about golden acceptance-length curves."""
