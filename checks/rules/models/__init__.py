"""Rules about which models and scenarios are measured."""
