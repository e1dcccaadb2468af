"""Web pages that Referee serves itself."""
