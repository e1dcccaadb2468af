"""The slash commands: one file each, with its arguments, and who may use it by default."""
