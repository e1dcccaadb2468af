"""What must be so before a pull request may be merged; one file each."""
