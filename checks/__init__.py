"""The functional core: judges a pull request without touching network, clock or disk."""
