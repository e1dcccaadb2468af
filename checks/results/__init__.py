"""What a run measured: benchmark points and evaluation scores, as its artifacts tell of them."""
