#!/usr/bin/python3
"""Compares a collective whose rounds are replayed from memory, without a list of flows, with packet-by-packet runs.

  memo_rounds.py BUILD/dccvp [--only NAME] [--page configs/training_memo.md]

The tool prints a table in Markdown; with --page it writes the table to the page.
"""

import sys

from memo import measured, tabulate

HEAD = """\
# Rounds from memory, measured

`tests/bench/memo_rounds.py build/dccvp --page configs/training_memo.md` writes this page:
`training_memo.yaml` with other collectives of 1 MB, `think: 200us`, and flows that are not listed
(`output.flows`). Rounds whose course is known are left out as a whole (`vp/disturb/round_leaps.h`). Seconds
are processor time of whole runs, megabytes the peak of the process. *Packet by packet* is measured over fewer
rounds where these stand behind it, and multiplied; without a number it is of all rounds. *Error* compares
iteration times (mean, median, 99th percentile, greatest) of two runs over the rounds that were measured
packet by packet. *Per round*: the cost of one packet by packet over the cost of one more from memory.

| run | `output.flows` | rounds | packet by packet | with memory | ratio | from memory | checked | error | per round |
|---|---|---|---|---|---|---|---|---|---|
"""
MOST_FLOWS = 45_000_000  # greatest number of flows per run; a configuration may have 50 million
TIMES = ("us_mean", "us_p50", "us_p99", "us_max")
# Each case: number of ranks, shape of the collective, rounds with burst memory, rounds simulated packet by packet,
# value of output.flows.
CASES = {
    "ring of 16": (16, "ring_all_reduce", 1000, 1000, "none"),
    "ring of 16, sketch": (16, "ring_all_reduce", 1000, 100, "sketch"),
    "ring of 16, long": (16, "ring_all_reduce", 10000, 100, "none"),
    "ring of 128": (128, "ring_all_reduce", 1000, 10, "none"),
    "all to all of 16": (16, "all_to_all", 1000, 100, "none"),
    "tree of 15": (15, "tree_all_reduce", 1000, 100, "none"),
    "tree of 31": (31, "tree_all_reduce", 1000, 100, "none"),
}


def run(dccvp, hosts, shape, rounds, flows, memo):
    """Runs a collective. Returns the metrics, the processor time in seconds and the peak memory in MB of the run."""
    figures, _, usage = measured(dccvp, [
        f"topology.hosts={hosts}", f"output.flows={flows}",
        f"traffic=[{{kind: collective, shape: {shape}, bytes: 1MB, rounds: {rounds}, think: 200us, "
        "message: 1MiB}]"], memo)
    return figures, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def flows_of_round(shape, hosts):
    return {"ring_all_reduce": 2 * hosts * (hosts - 1), "all_to_all": hosts * (hosts - 1),
            "tree_all_reduce": 2 * (hosts - 1)}[shape]


def row(dccvp, _, hosts, shape, rounds, sampled, flows):
    off, off_s, off_mb = run(dccvp, hosts, shape, sampled, flows, False)
    same, same_s, same_mb = run(dccvp, hosts, shape, sampled, flows, True)
    on, on_s, on_mb = (same, same_s, same_mb) if rounds == sampled else run(dccvp, hosts, shape, rounds, flows, True)
    longer = min(rounds * 20, MOST_FLOWS // flows_of_round(shape, hosts))
    _, longer_s, _ = run(dccvp, hosts, shape, longer, flows, True)
    if on["queries"]["answered"] != rounds:
        sys.exit(f"{on['queries']['answered']} of {rounds} rounds answered")
    error = max(abs(same["queries"][name] / off["queries"][name] - 1) for name in TIMES)
    memo = on["memo"]
    whole = off_s / sampled * rounds
    each = (off_s / sampled) / max((longer_s - on_s) / (longer - rounds), 1e-9)
    of = "" if rounds == sampled else f" ({sampled})"
    return (f"| {shape}, {hosts} ranks | {flows} | {rounds} | {whole:.3g} s{of}, {off_mb:.0f} MB | "
            f"{on_s:.2f} s, {on_mb:.0f} MB | {whole / on_s:.0f} | {memo['hits'] / rounds:.1%} | {memo['checked']} | "
            f"{error:.2g} | {each:.3g} |")


if __name__ == "__main__":
    tabulate(__doc__, HEAD, CASES, row, lambda page, text: page.write_text(text + "\n", encoding="utf-8"))
