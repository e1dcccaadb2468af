"""Rules about speculative decoding and its simulated acceptance length."""
