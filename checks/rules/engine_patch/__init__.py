"""Rules about engines that run otherwise than they were released."""
