"""One rule a file: ``<topic>/<defect>.py``; the path is the name."""
