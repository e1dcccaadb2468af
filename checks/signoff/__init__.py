"""Sign-offs: the checklist's template, and what a code owner's comment says of each item."""
