#!/usr/bin/python3
"""Completion times of a high class's small messages under load, by several machineries.

  latency.py DCCVP CONFIG [--seeds 1..5] [--dscp 46] [--set key.path=value]…

Runs CONFIG as it is and with each of the alternatives below, and prints for each the 50th and 99th
percentile of the class's completion times (post to last ACK, all seeds together), how many times
the p99 exceeds that of CONFIG, the total goodput and the mean queue. CONFIG's own machinery is called
`as configured`. Exit status 1 if a run fails, 2 for unusable input.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import study_plan
import study_table

# DCQCN with the thresholds customary at 100 Gb/s; ibcc has thresholds of its own.
USUAL_ECN = "switch.ecn={kmin: 100KB, kmax: 400KB, pmax: 0.2, mark_at: enqueue}"
DCQCN = "nic.congestion_control={algorithm: dcqcn}"
MACHINERIES = {
    "as configured": (),
    "dcqcn": (DCQCN, USUAL_ECN),
    "dcqcn, same thresholds": (DCQCN,),
    "ibcc, CCTI_Increase 8 and 1": (
        "nic.congestion_control={algorithm: ibcc, schedule: [{at: 0us, dscp: 10, ccti_increase: 8}, "
        "{at: 0us, dscp: 46, ccti_increase: 1}]}",),
    "dcqcn, strict priority": (DCQCN, USUAL_ECN, "switch.scheduler.kind=strict",
                               "dscp={10: {weight: 1}, 46: {weight: 8, priority: 1}}"),
}


def measure(dccvp, config, dscp, seeds, overrides):
    """Completion times in us of all seeds, sorted; mean goodput in Gb/s; mean queue in KB."""
    times, goodput, queue = [], [], []
    for seed in seeds:
        with tempfile.TemporaryDirectory(prefix="dccvp-latency-") as folder:
            out = pathlib.Path(folder) / "out"
            arguments = [str(dccvp), "run", str(config), "--out", str(out), "--quiet", "--no-plots",
                         "--seed", str(seed)]
            for override in overrides:
                arguments += ["-c", override]
            done = subprocess.run(arguments, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()}")
            with open(out / "flows.csv", newline="", encoding="utf-8") as file:
                times += [float(row["fct_s"]) * 1e6 for row in csv.DictReader(file)
                          if row["dscp"] == str(dscp) and row["fct_s"]]
            metrics = json.loads((out / "metrics.json").read_text())
            goodput.append(metrics["aggregate"]["goodput_gbps"])
            queue.append(max(q["mean_bytes"] for q in metrics["queues"]) / 1e3)
    return sorted(times), study_table.mean(goodput), study_table.mean(queue)


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("dccvp", type=pathlib.Path)
    parser.add_argument("config", type=pathlib.Path)
    parser.add_argument("--seeds", default="1..5")
    parser.add_argument("--dscp", type=int, default=46)
    parser.add_argument("--set", action="append", default=[], metavar="key.path=value")
    options = parser.parse_args(argv)
    try:
        seeds = study_plan.seeds_of(options.seeds, "--seeds")
    except study_plan.StudyError as error:
        print(error, file=sys.stderr)
        return 2
    print("| machinery | messages | p50 us | p99 us | p99 / configured | goodput Gb/s | queue KB |\n"
          "|---|---|---|---|---|---|---|")
    own = None
    for name, overrides in MACHINERIES.items():
        try:
            times, goodput, queue = measure(options.dccvp, options.config, options.dscp, seeds,
                                            (*options.set, *overrides))
        except RuntimeError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
        if not times:
            print(f"{options.config}: no message of DSCP {options.dscp} was completed",
                  file=sys.stderr)
            return 2
        p50, p99 = (study_table.percentile(times, share) for share in (0.5, 0.99))
        own = own or p99
        print(f"| {name} | {len(times)} | {p50:.2f} | {p99:.2f} | {p99 / own:.1f} | {goodput:.2f} | "
              f"{queue:.1f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
