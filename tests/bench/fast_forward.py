#!/usr/bin/python3
"""Compares runs with fast_forward with the same runs packet by packet: error of the figures, processor time.

  fast_forward.py BUILD/dccvp [--seeds 1,2,3] [--page docs/scale.md]

The runs are shipped configurations with a longer duration. The tool compares the mean rates of flows without an end,
and the completion times of finite flows. It prints tables in Markdown; with --page the tables replace those of the
page. Times are processor times, which other users of the machine disturb little.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from scale import put

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"
SERIES = "output.series={interval: 1ms, flows: none, queues: none, classes: false}"
STAR = ("incast_8x25g.yaml", ["duration=2s"])
SHARES = ("differentiation/share.yaml", ["duration=3s"])
RATES = {
    "8 into 25 Gb/s, dcqcn": (*STAR, "nic.congestion_control={algorithm: dcqcn}"),
    "… dcc, preset sig15": STAR,
    "… hpcc": (*STAR, "nic.congestion_control={algorithm: hpcc}"),
    "weights 1, 2, 4, 8, dcc proportional": SHARES,
}
ENDS = {
    "8 into 25 Gb/s, dcqcn, 500 MB each": (
        *STAR, "nic.congestion_control={algorithm: dcqcn}", "traffic.0.bytes=500MB"),
    "… dcc, preset sig15": (*STAR, "traffic.0.bytes=500MB"),
    "… hpcc": (*STAR, "nic.congestion_control={algorithm: hpcc}", "traffic.0.bytes=500MB"),
}
BEGIN = "## Fast-forward"
TERMS = {"mean rate": """. *Worst* is the
flow whose figure differs most from the run packet by packet; *between seeds* is the same difference between two runs
packet by packet. Seconds are processor time""", "completion time": ""}
HEAD = """\
{begin}

`tests/bench/fast_forward.py build/dccvp --page docs/scale.md`, seeds {seeds}: shipped configurations, longer{terms}.

| run | skipped | all flows together | worst | between seeds | packet by packet | with fast_forward |
|---|---|---|---|---|---|---|
"""


def run(dccvp, case, seed, skips):
    config, changed, *more = case
    duration = changed[0].split("=")[1]
    with tempfile.TemporaryDirectory() as name:
        words = [dccvp, "run", CONFIGS / config, "--out", f"{name}/out", "--quiet", "--no-plots", "--threads", "1",
                 "--seed", str(seed)]
        for override in [SERIES, "expect=[]", f"measure={{from: 20ms, to: {duration}}}", *changed, *more,
                         f"fast_forward.enabled={'true' if skips else 'false'}"]:
            words += ["-c", override]
        child = subprocess.Popen(words)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"exit status {child.returncode} of {words}")
        figures = json.loads(pathlib.Path(name, "out/metrics.json").read_text(encoding="utf-8"))
    return figures, usage.ru_utime + usage.ru_stime


def apart(one, other, figure):
    """The greatest relative difference between two runs in one figure, compared flow by flow."""
    return max(abs(a[figure] / b[figure] - 1) for a, b in zip(one["flows"], other["flows"]))


def total(figures, figure):
    return sum(flow[figure] for flow in figures["flows"])


def row(dccvp, name, case, seeds, figure):
    whole = [run(dccvp, case, seed, False) for seed in seeds]
    quick = [run(dccvp, case, seed, True) for seed in seeds]
    pairs = [(q[0], w[0]) for q, w in zip(quick, whole)]
    together = max(abs(total(q, figure) / total(w, figure) - 1) for q, w in pairs)
    worst = max(apart(q, w, figure) for q, w in pairs)
    between = max(apart(a[0], b[0], figure) for a, b in zip(whole, whole[1:]))
    skipped = min(q["fast_forwarded_s"] / q["sim_time_s"] for q, _ in pairs)
    return (f"| {name} | {skipped:.0%} | {together:.2%} | {worst:.2%} | {between:.2%} | "
            f"{sum(w[1] for w in whole) / len(seeds):.2f} s | {sum(q[1] for q in quick) / len(seeds):.2f} s |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("dccvp", type=pathlib.Path)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    for figure, words, cases in (("goodput_gbps", "mean rate", RATES), ("fct_s", "completion time", ENDS)):
        head = HEAD.format(begin=f"{BEGIN}: {words}s", seeds=arguments.seeds, terms=TERMS[words])
        print(head, end="")
        lines = []
        for name, case in cases.items():
            lines.append(row(arguments.dccvp.resolve(), name, case, seeds, figure))
            print(lines[-1], flush=True)
            if arguments.page is not None:  # writes the finished rows, so that an interrupted bench keeps them
                put(arguments.page, head.split("\n", 1)[0], head + "\n".join(lines))


if __name__ == "__main__":
    main()
