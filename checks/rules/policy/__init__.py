"""Rules about Referee's own policy file."""
