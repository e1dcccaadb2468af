"""The REST endpoints that the bot uses, one file per area."""
