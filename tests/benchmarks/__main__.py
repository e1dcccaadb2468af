"""`make bench`: every benchmark after the other, on this machine, in one run."""

from tests.benchmarks import check, webhook

for each in (check, webhook):
    each.main()
    print()
