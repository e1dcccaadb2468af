"""Readers of a benchmark repository's files; each is cached by content (`checks.model.Blob`).

From the bytes up; a module knows only those above it:

- Files as such: ``yaml`` (values with places), ``top_level`` (a large mapping cut without parsing),
  ``quote`` (lines, as evidence), ``conflicts`` (merge conflicts), ``alignment`` (two versions).
- Master configs: ``master_config`` (config keys and search spaces), ``image``, ``scripts`` (which
  benchmark script a config key runs).
- Recipes: ``recipe`` (variants), ``roles`` (workers), ``speculation`` (what each says about
  speculative decoding), ``edit`` (one-line suggestions).
- Both together: ``arms`` (who runs what, and what a pull request touches of it), ``golden_al``
  (golden curves), ``pinned`` (acceptance lengths beside golden cells), ``config_changes`` (config
  keys whose measurements can differ).
- The changelog: ``wildcard`` (of config keys), ``changelog`` (entries), ``changelog_edits`` and
  ``changelog_change`` (what a pull request did to it), ``changelog_repair`` (suggestions),
  ``changelog_fields`` (the schema), ``coverage`` (config keys that new entries name), ``claims``
  (figures in sentences), ``claim_subjects`` (what those are about).
"""
