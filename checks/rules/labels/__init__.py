"""Rules about the labels of a pull request."""
