"""Runs the reference repository's changelog validator and merge preparation, for many changes.

Its argument is the folder of their programs. Each line of standard input is a JSON object
``{"do": ..., "files": [...], "number": ...}`` whose files are bytes as Latin-1; each line of
standard output ``{"content": ...}``, ``{"counts": [...]}`` or ``{"error": reason}``.
"""

import functools
import json
import sys
from typing import Any

REPOSITORY = "SemiAnalysisAI/InferenceX"


def main() -> None:
    """Answer until the input ends."""
    sys.path.insert(0, sys.argv[1])
    import validate_perf_changelog as validator

    # A file is the head of one change and the base of the next.
    validator.parse_changelog = functools.lru_cache(maxsize=8)(validator.parse_changelog)
    import prepare_perf_changelog_merge as preparation

    for line in sys.stdin:
        asked = json.loads(line)
        files = [each.encode("latin-1") for each in asked["files"]]
        try:
            answer = _answer(validator, preparation, asked["do"], files, asked["number"])
        except validator.ChangelogValidationError as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


def _answer(validator: Any, preparation: Any, do: str, files: list[bytes], number: Any) -> Any:
    if do == "validate":
        base, head = files
        parsed = [validator.parse_changelog(each, "the changelog") for each in files]
        added, corrected = validator.compare_entries(*parsed, number)
        validator.validate_raw_change(base, head, len(added), corrected)
        return {"counts": [len(added), corrected]}
    asked = {
        "canonicalize": preparation.canonicalize_appended_links,
        "resolve": preparation.resolve_conflict_bytes,
    }[do]
    return {"content": asked(*files, number, REPOSITORY).decode("latin-1")}


if __name__ == "__main__":
    main()
