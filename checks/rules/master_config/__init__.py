"""Rules about the master configs: each entry can run and means what its key says."""
