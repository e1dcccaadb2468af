"""Readers of a benchmark repository's files; each is cached by content (`checks.model.Blob`)."""
