"""What is said of merged pull requests, one file each, and the processor time that each took.

`python -m tests.differential.verdicts CLONE FOLDER [COUNT]` before a change that must alter no
finding, and after it; then `diff -r` of the two folders. Each file holds what `check --format json`
prints, the suggestions and what a sweep costs. The pull requests are judged warm, one after the
other, oldest first, as a worker does.
"""

import gc
import sys
import time
from itertools import islice
from pathlib import Path

from bot import worker
from bot.backtest import merges
from bot.formats.as_json import as_json
from bot.judging import judge
from bot.snapshot import open_repository
from bot.verdict import Case
from tests.benchmarks.history import cases

COUNT, SHOWN = 300, 15


def main() -> None:
    """Write the verdicts and print the slowest."""
    clone, folder = map(Path, sys.argv[1:3])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else COUNT
    folder.mkdir(parents=True, exist_ok=True)
    gc.set_threshold(*worker.COLLECTIONS)
    newest_first = list(islice(merges(open_repository(clone), "HEAD", None), count))
    times = [(_written(folder, case), case) for case in cases(clone, newest_first)]
    for seconds, case in sorted(times, key=lambda each: -each[0])[:SHOWN]:
        print(f"{seconds * 1000:7.0f} ms  #{case.pull_request.number} {case.head}")


def _written(folder: Path, case: Case) -> float:
    """Write what is said of one; return how many seconds the judgement took."""
    started = time.process_time()
    verdict = judge(case)
    taken = time.process_time() - started
    suggested = [each.suggestion for each in verdict.report.findings]  # for other files, too
    said = f"{as_json(verdict.report, None)}{suggested}\n{verdict.sections}\n"
    name = f"{case.pull_request.number}-{case.head[:9]}.json"
    (folder / name).write_text(said, encoding="utf-8")
    gc.collect(1)
    return taken


if __name__ == "__main__":
    main()
