"""Readers of a benchmark repository's files; each is cached by content (`checks.model.Blob`).

From the bytes up; a module knows only those of its own group and of the groups above it:

- Files as such: ``yaml`` (values with places), ``scalar`` (of YAML), ``top_level`` (a large mapping
  cut without parsing), ``quote`` (lines, as evidence), ``conflicts`` (merge conflicts),
  ``alignment`` (two versions), ``hidden_text`` and ``addressed`` (what readers do not see).
- Pages: ``description`` and ``outline`` (Markdown), ``models_page``, ``codeowners`` and
  ``owner_pattern``.
- Recipes: ``recipe`` (variants), ``roles`` (workers), ``speculation`` (what each says about
  speculative decoding), ``image``, ``edit`` (one-line suggestions).
- Master configs: ``master_config`` (config keys and search spaces), ``hardware``, ``scripts``
  (which benchmark script a config key runs).
- Both together: ``arms`` (who runs what, and what a pull request touches of it), ``references``,
  ``golden_al`` (golden curves), ``parallelism`` and ``binding`` (what a point may run).
- Scripts: ``shell`` (what they start), ``script_lines`` (new commands), ``server`` and
  ``script_points`` (what runs at each point), ``script_change``, ``patches`` and ``patch_targets``
  (changes of an engine), ``pinned`` (acceptance lengths beside golden cells).
- What differs: ``config_changes`` (config keys whose measurements can differ), ``shared_edits``.
- The changelog: ``wildcard`` (of config keys), ``changelog`` (entries), ``changelog_edits`` and
  ``changelog_change`` (what a pull request did to it), ``changelog_repair`` and
  ``changelog_conflict`` (suggestions), ``changelog_fields`` (the schema), ``coverage`` (config keys
  that new entries name), ``claims`` (figures in sentences), ``claim_subjects`` (what those are
  about).
"""
