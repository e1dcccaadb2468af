"""GitHub's JSON for the sandbox's state, complete enough for GitHub's own schemas."""
