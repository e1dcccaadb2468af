"""Tests of what is run without a server."""
