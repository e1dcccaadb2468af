"""What a comment on GitHub says, read from its raw Markdown."""
