#!/usr/bin/python3
"""Compares runs that replay remembered bursts with packet-by-packet runs: iteration times, processor time.

  memo.py BUILD/dccvp [--only NAME] [--page configs/training_memo.md]

The cases are collectives that repeat, a collective whose times drift, and one that does not repeat. The tool prints a
table in Markdown; with --page the table replaces that of the page. Seconds are the processor time of whole runs, from
the construction of the network to the results.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from scale import put

CONFIG = pathlib.Path(__file__).resolve().parents[2] / "configs/training_memo.yaml"
BEGIN = "## Bursts from memory"
HEAD = f"""\
{BEGIN}

`tests/bench/memo.py build/dccvp --page configs/training_memo.md`: the same file with other collectives, and flows that
are listed. *Error* is of iteration times against the run packet by packet; *by the run* is what its own spot checks say
of arrivals. Seconds are processor time of whole runs. The last column sets an iteration packet by packet against one
from memory, of which the processor time is that of twice as many rounds less that of the rounds.

| run | rounds | from memory | error, mean | p99 | by the run | packet by packet | with memory | ratio | an iteration |
|---|---|---|---|---|---|---|---|---|---|
"""


def ring(hosts, size, rounds, shape="ring_all_reduce", rest=()):
    return (rounds, [f"topology.hosts={hosts}",
                     f"traffic=[{{kind: collective, shape: {shape}, hosts: 0..{hosts - 1}, bytes: {size}, "
                     "rounds: ROUNDS, think: 200us, message: 1MiB}]", *rest])


RED = "switch.ecn={kmin: 20KB, kmax: 200KB, pmax: 0.1}"
DCQCN = "nic.congestion_control={algorithm: dcqcn}"
CASES = {
    "16 ranks, ring": ring(16, "16MB", 60),
    # In `tree_all_reduce` the last message to the lowest leaf must arrive within the 200 us in which the other ranks
    # compute.
    "16 ranks, tree": ring(16, "2MB", 60, "tree_all_reduce"),
    "16 ranks, all to all": ring(16, "16MB", 60, "all_to_all"),
    "16 ranks, all to all, dcqcn, marks drawn": ring(16, "16MB", 60, "all_to_all", (DCQCN, RED)),
    "16 ranks, tree, dcqcn, marks drawn": ring(16, "2MB", 60, "tree_all_reduce", (DCQCN, RED)),
    "128 ranks, ring": ring(128, "16MB", 8),
    "two jobs that drift": (40, ["topology.hosts=16",
                                 "traffic=[{kind: collective, hosts: 0..7, bytes: 4MB, rounds: ROUNDS, think: 2ms}, "
                                 "{kind: collective, hosts: 8..15, bytes: 4MB, rounds: ROUNDS, think: 2001us}]"]),
    "nothing rests": (40, ["topology.hosts=16",
                           "traffic=[{kind: collective, hosts: 0..7, bytes: 4MB, rounds: ROUNDS}, "
                           "{kind: collective, hosts: 8..15, bytes: 3MB, rounds: ROUNDS}]"]),
}


def measured(dccvp, overrides, memo, read=lambda folder: None):
    """Runs training_memo.yaml with changed settings. Returns the metrics, the value of `read` for the results'
    folder, and the resources used (os.wait4)."""
    with tempfile.TemporaryDirectory() as name:
        words = [dccvp, "run", CONFIG, "--out", f"{name}/out", "--quiet", "--no-plots", "--threads", "1"]
        for override in ["expect=[]", f"fast_forward.memo={'true' if memo else 'false'}", "duration=100s", *overrides]:
            words += ["-c", override]
        child = subprocess.Popen(words)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"exit status {child.returncode} of {words}")
        figures = json.loads(pathlib.Path(name, "out/metrics.json").read_text(encoding="utf-8"))
        return figures, read(pathlib.Path(name, "out")), usage


def flow_ends(folder):
    with open(folder / "flows.csv", encoding="utf-8") as file:
        return [float(flow["end_s"]) for flow in csv.DictReader(file)]


def run(dccvp, changed, rounds, memo):
    """Runs a configuration. Returns its metrics, the end time of each iteration and the processor time. All
    iterations have the same number of flows."""
    overrides = [text.replace("ROUNDS", str(rounds)) for text in changed]
    figures, ends, usage = measured(dccvp, overrides, memo, flow_ends)
    part = len(ends) // rounds
    return figures, [max(ends[i * part:(i + 1) * part]) for i in range(rounds)], usage.ru_utime + usage.ru_stime


def times(ends):
    return [b - a for a, b in zip([0.0] + ends, ends)]


def percent(share):
    return "–" if share is None else f"{100 * share:.2g} %"


def row(dccvp, name, rounds, changed):
    _, ends, whole = run(dccvp, changed, rounds, False)
    figures, quick_ends, quick = run(dccvp, changed, rounds, True)
    _, _, longer = run(dccvp, changed, 2 * rounds, True)
    memo = figures["memo"]
    errors = sorted(abs(q / w - 1) if w > 0 else 0.0 for q, w in zip(times(quick_ends), times(ends)))
    mean = abs(sum(times(quick_ends)) / sum(times(ends)) - 1)
    bursts = memo["hits"] + memo["misses"] + memo["checked"]
    said = percent(memo["error_mean"])
    if memo["error_interval"] is not None:
        said += f" ± {percent(memo['error_interval'])}"
    if memo["refused"]:
        said += f", {memo['refused']} forgotten"
    each = (whole / rounds) / max((longer - quick) / rounds, 1e-6)
    p99 = errors[min(len(errors) - 1, int(0.99 * len(errors)))]
    return (f"| {name} | {rounds} | {memo['hits'] / max(bursts, 1):.0%} | {percent(mean)} | {percent(p99)} | {said} | "
            f"{whole:.2f} s | {quick:.2f} s | {whole / quick:.2f} | {each:.3g} × |")


def tabulate(description, head, cases, row, write):
    """Runs the command line of a benchmark with a table. Prints the row of each case. With --page it gives the
    whole table to `write(page, text)`."""
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("dccvp", type=pathlib.Path)
    parser.add_argument("--only", help="a case by its name")
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    print(head, end="")
    lines = []
    for name, case in cases.items():
        if arguments.only not in (None, name):
            continue
        lines.append(row(arguments.dccvp.resolve(), name, *case))
        print(lines[-1], flush=True)
    if arguments.page is not None and arguments.only is None:
        write(arguments.page, head + "\n".join(lines))


if __name__ == "__main__":
    tabulate(__doc__, HEAD, CASES, row, lambda page, text: put(page, BEGIN, text))
