"""Pull requests that append one changelog entry to the made-up repository."""

import json
from collections.abc import Mapping

from checks.model import Snapshot
from tests.checks.samples import AUGUST, CHANGELOG
from tests.kit import snapshot

KEY = "toy-fp4-b300-dynamo-vllm-agentic"
FIRST_SENTENCE = CHANGELOG.count("\n") + 5  # the line of the new entry's first sentence


def append(
    *sentences: str, key: str = KEY, files: Mapping[str, str] | None = None, extra: str = ""
) -> Snapshot:
    """Return a pull request that adds an entry with these sentences."""
    described = "".join(f"    - {json.dumps(each, ensure_ascii=False)}\n" for each in sentences)
    entry = (
        f"\n- config-keys:\n    - {key}\n{extra}  description:\n{described}"
        "  pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/7\n"
    )
    head = dict(files or AUGUST)
    return snapshot(AUGUST, {**head, "perf-changelog.yaml": CHANGELOG + entry})
