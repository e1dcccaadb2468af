"""GitHub's published descriptions, and the checks that hold the bot and the sandbox to them."""
