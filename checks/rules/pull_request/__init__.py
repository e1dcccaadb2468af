"""Rules about what a pull request says of itself, and what it does not let people see."""
