"""`make bench`: every benchmark after the other, on this machine, in one run."""

from tests.benchmarks import changelog_gate, check, webhook

for each in (check, changelog_gate, webhook):
    each.main()
    print()
