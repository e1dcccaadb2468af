"""`make bench`: every benchmark after the other, on this machine, in one run."""

from tests.benchmarks import changelog_gate, check, history, memory, signoff, visible, webhook

for each in (check, changelog_gate, history, memory, signoff, visible, webhook):
    each.main()
    print()
