#!/usr/bin/python3
"""Measures runs of a collective whose rounds come from memory and are not listed, against packet by packet.

  memo_rounds.py BUILD/dccvp [--only NAME] [--page configs/training_memo.md]

Prints a table in Markdown; with --page it is written to the page.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CONFIG = pathlib.Path(__file__).resolve().parents[2] / "configs/training_memo.yaml"
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
MOST_FLOWS = 45_000_000  # a configuration may have 50 million
TIMES = ("us_mean", "us_p50", "us_p99", "us_max")


def case(hosts, shape, rounds, measured, flows):
    return (hosts, shape, rounds, measured, flows)


CASES = {
    "ring of 16": case(16, "ring_all_reduce", 1000, 1000, "none"),
    "ring of 16, sketch": case(16, "ring_all_reduce", 1000, 100, "sketch"),
    "ring of 16, long": case(16, "ring_all_reduce", 10000, 100, "none"),
    "ring of 128": case(128, "ring_all_reduce", 100, 10, "none"),
    "all to all of 16": case(16, "all_to_all", 1000, 100, "none"),
    "tree of 15": case(15, "tree_all_reduce", 1000, 100, "none"),
    "tree of 31": case(31, "tree_all_reduce", 1000, 100, "none"),
}


def run(dccvp, hosts, shape, rounds, flows, memo):
    """Metrics, processor time in seconds and peak memory in MB of a run."""
    with tempfile.TemporaryDirectory() as name:
        words = [dccvp, "run", CONFIG, "--out", f"{name}/out", "--quiet", "--no-plots", "--threads", "1"]
        for override in ["expect=[]", f"fast_forward.memo={'true' if memo else 'false'}", "duration=100s",
                         f"topology.hosts={hosts}", f"output.flows={flows}",
                         f"traffic=[{{kind: collective, shape: {shape}, bytes: 1MB, rounds: {rounds}, think: 200us, "
                         "message: 1MiB}]"]:
            words += ["-c", override]
        child = subprocess.Popen(words)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"exit status {child.returncode} of {words}")
        figures = json.loads(pathlib.Path(name, "out/metrics.json").read_text(encoding="utf-8"))
    return figures, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def flows_of_round(shape, hosts):
    return {"ring_all_reduce": 2 * hosts * (hosts - 1), "all_to_all": hosts * (hosts - 1),
            "tree_all_reduce": 2 * (hosts - 1)}[shape]


def row(dccvp, hosts, shape, rounds, measured, flows):
    off, off_s, off_mb = run(dccvp, hosts, shape, measured, flows, False)
    same, same_s, same_mb = run(dccvp, hosts, shape, measured, flows, True)
    on, on_s, on_mb = (same, same_s, same_mb) if rounds == measured else run(dccvp, hosts, shape, rounds, flows, True)
    longer = min(rounds * 20, MOST_FLOWS // flows_of_round(shape, hosts))
    _, longer_s, _ = run(dccvp, hosts, shape, longer, flows, True)
    if on["queries"]["answered"] != rounds:
        sys.exit(f"{on['queries']['answered']} of {rounds} rounds answered")
    error = max(abs(same["queries"][name] / off["queries"][name] - 1) for name in TIMES)
    memo = on["memo"]
    whole = off_s / measured * rounds
    each = (off_s / measured) / max((longer_s - on_s) / (longer - rounds), 1e-9)
    of = "" if rounds == measured else f" ({measured})"
    return (f"| {shape}, {hosts} ranks | {flows} | {rounds} | {whole:.3g} s{of}, {off_mb:.0f} MB | "
            f"{on_s:.2f} s, {on_mb:.0f} MB | {whole / on_s:.0f} | {memo['hits'] / rounds:.1%} | {memo['checked']} | "
            f"{error:.2g} | {each:.3g} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("dccvp", type=pathlib.Path)
    parser.add_argument("--only", help="a case by its name")
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    print(HEAD, end="")
    lines = []
    for name, of in CASES.items():
        if arguments.only not in (None, name):
            continue
        lines.append(row(arguments.dccvp.resolve(), *of))
        print(lines[-1], flush=True)
    if arguments.page is not None and arguments.only is None:
        arguments.page.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
