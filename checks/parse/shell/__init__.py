"""Benchmark shell scripts: which servers and clients they start, with which words.

A script is never run. Its syntax tree (tree-sitter) is followed with the variables that a point
of the search space sets; a condition that they do not decide is followed both ways, and a word
that they do not decide stays unknown. What is unknown is never wrong.
"""
