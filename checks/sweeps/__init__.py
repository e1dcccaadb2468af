"""What a pull request asks of the machines, and what they made of it."""
