"""Writes examples.json from a `spec.txt` of CommonMark: ``python extract.py spec.txt``.

Only the Markdown of each example is kept. In the specification an arrow stands for a tab.
"""

import json
import re
import sys
from pathlib import Path

_EXAMPLE = re.compile(r"^`{32} example\n(.*?)^\.\n.*?^`{32}$", re.DOTALL | re.MULTILINE)


def main(specification: Path) -> None:
    found = _EXAMPLE.findall(specification.read_text(encoding="utf-8"))
    examples = [each.replace("→", "\t").removesuffix("\n") for each in found]
    target = Path(__file__).with_name("examples.json")
    target.write_text(json.dumps(examples, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
