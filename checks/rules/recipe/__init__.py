"""Rules about recipes and the masters that name them."""
