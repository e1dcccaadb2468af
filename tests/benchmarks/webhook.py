"""How fast and how lean a delivery becomes a durable 202, beside a limit and a peer."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .webhook_load import CONNECTIONS, EXAMPLE, Result, deliveries, full, steady
from .webhook_servers import Server, probot_server, python_server

TURNS, TURN_SECONDS, STEADY_SECONDS = 5, 3.0, 5.0
STEADY_RATE = 500
LABELS = {
    "bare": "only verifies",
    "referee": "Referee, durable",
    "probot": "Probot, durable",
}


@dataclass(frozen=True)
class Measured:
    """What one server did: processor microseconds a request, and peak megabytes."""

    full: Result
    steady: Result
    cpu: float
    peak: float


def measure(servers: dict[str, Server], prepared: Path) -> dict[str, Measured]:
    """Load the servers in turns, so that a busy moment of the machine meets all of them.

    The full load is the median of the turns; the peak memory includes all loads.
    """
    turns: dict[str, list[Result]] = {name: [] for name in servers}
    cpu: dict[str, list[float]] = {name: [] for name in servers}
    for turn in range(TURNS + 1):
        for name, server in servers.items():
            before = server.cpu_seconds()
            result = full(server, TURN_SECONDS, prepared)
            if turn:  # the first turn warms up
                turns[name].append(result)
                used = server.cpu_seconds() - before
                cpu[name].append(used / (result.rate * TURN_SECONDS) * 1e6)
    return {
        name: Measured(
            sorted(turns[name], key=lambda result: result.rate)[TURNS // 2],
            steady(server, STEADY_SECONDS, STEADY_RATE),
            statistics.median(cpu[name]),
            server.peak_megabytes(),
        )
        for name, server in servers.items()
    }


def main() -> None:
    """Print the table; the ratios hold for this machine and this run."""
    console = Console()
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(4)]
        servers = {
            "bare": stack.enter_context(python_server("bare", folders[0])),
            "referee": stack.enter_context(python_server("referee", folders[1])),
        }
        try:
            servers["probot"] = stack.enter_context(probot_server(folders[2]))
        except (OSError, subprocess.SubprocessError) as error:
            console.print(f"No comparison with Probot: {error}")
        results = measure(servers, folders[3])
    console.print(_table(results))
    _print_ratios(console, results)


def _table(results: dict[str, Measured]) -> Table:
    load = "wrk" if shutil.which("wrk") else "an asyncio client (wrk is not here: slower)"
    size = len(deliveries()[0]) / 1000
    table = Table(
        title=f"Delivery to 202: {EXAMPLE}, {size:.1f} kB, {CONNECTIONS} connections by {load}",
        caption=(
            f"p50, p99: ms; @{STEADY_RATE}: at a steady {STEADY_RATE} requests a second\n"
            "CPU: processor µs a request; MB: peak memory; bad: answers but 2xx\n"
            "only verifies: bare aiohttp, the limit; Probot 14: a file each, fdatasync"
        ),
    )
    table.add_column("server", no_wrap=True)
    for title in (
        "req/s",
        "p50",
        "p99",
        f"p50 @{STEADY_RATE}",
        f"p99 @{STEADY_RATE}",
        "CPU",
        "MB",
        "bad",
    ):
        table.add_column(title, justify="right")
    for name, found in results.items():
        latencies = (found.full.p50, found.full.p99, found.steady.p50, found.steady.p99)
        table.add_row(
            LABELS[name],
            f"{found.full.rate:,.0f}",
            *(f"{latency:.1f}" for latency in latencies),
            f"{found.cpu:.0f}",
            f"{found.peak:.0f}",
            str(found.full.bad + found.steady.bad),
        )
    return table


def _print_ratios(console: Console, results: dict[str, Measured]) -> None:
    ours = results["referee"].full.rate
    if "bare" in results:
        console.print(f"Referee reaches {ours / results['bare'].full.rate:.0%} of the limit.")
    if "probot" in results:
        console.print(
            f"Referee takes {ours / results['probot'].full.rate:.1f} times Probot's rate."
        )


if __name__ == "__main__":
    main()
