"""Rules that hold the sentences of a changelog entry against the files."""
