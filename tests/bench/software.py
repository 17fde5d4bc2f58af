#!/usr/bin/python3
"""Measures the cost of a host's simulated CPU, of snapshots for reverse execution, and of sweeps that branch late.

  software.py BUILD/dccvp FIRMWARE [--only cpu,snapshots,branch,moves] [--moves 10000] [--page build/software-cost.md]

Measured are the speed of the CPU; a run at the prompt with and without snapshots; a sweep of 16 points that branch
after 20 ms of 25 ms, against 16 whole runs; and random moves at the prompt. The tool prints tables in Markdown; with
--page it writes them to the page. Times are processor times unless stated otherwise, which other users of the machine
disturb little.
"""

import argparse
import csv
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CPU_RUNS, PAIRS = 5, 5
LONG_MS = 100  # length of each step in ms; snapshots are rare compared with a second of work
HEAD = """\
# Costs of software on hosts and of reverse debugging.

Made by `tests/bench/software.py build/dccvp build/firmware --page build/software-cost.md` (`make software-cost`)
on a machine with {processors} processors{note}. Processor time, unless it says otherwise.
"""
CONFIG, LARGER = "configs/incast_8x25g.yaml", "configs/incast_32x100g.yaml"
COMMON_MS, WHOLE_MS, POINTS = 20, 25, 16
MEASURE = f"{{from: 5ms, to: {WHOLE_MS}ms}}"
THRESHOLDS = [f"{40 + 20 * i}KB" for i in range(POINTS)]


def busy_seconds(command, folder, text=""):
    """Runs a command. Returns the processor time of the command and its children, the wall-clock time, and the
    output."""
    before, begin = os.times(), time.monotonic()
    done = subprocess.run([str(c) for c in command], cwd=folder, input=text, stdout=subprocess.PIPE, text=True,
                          check=False)
    elapsed, after = time.monotonic() - begin, os.times()
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout}")
    return (after.children_user + after.children_system - before.children_user - before.children_system,
            elapsed, done.stdout)


def host_instructions(command):
    """Number of instructions that the processor's counters report for a command; None on a machine without
    counters."""
    if shutil.which("perf") is None:
        return None
    done = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", *map(str, command)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    found = re.search(r"^(\d+),", done.stderr, re.MULTILINE)
    return int(found.group(1)) if found else None


def cpu(dccvp, firmware, _):
    lines = ["", "## The host CPU in the platform", "",
             "`dccvp run-elf`; *compute* works in registers alone, *memory* loads or stores in every third of its",
             "instructions.", "",
             f"| program | instructions | MIPS, best and median of {CPU_RUNS} | host instructions for one |",
             "|---|---|---|---|"]
    for program, name in (("test_speed", "compute"), ("test_speed_memory", "memory")):
        command = [dccvp, "run-elf", firmware / f"{program}.elf"]
        found = [re.search(r"(\d+) instructions,.* ([\d.]+) MIPS", busy_seconds(command, ROOT)[2])
                 for _ in range(CPU_RUNS)]
        count = int(found[0].group(1))
        mips = sorted(float(one.group(2)) for one in found)
        host = host_instructions(command)
        lines.append(f"| {name} | {count / 1e6:.1f} M | {mips[-1]:.0f}, {mips[CPU_RUNS // 2]:.0f} | "
                     f"{f'{host / count:.1f}' if host else 'not told'} |")
    return lines


def snapshots(dccvp, _, folder):
    shutil.copy(ROOT / CONFIG, folder / "run.yaml")
    command = [dccvp, "run", "run.yaml", "--interactive", "--quiet", "--no-plots", "--force", "--out", "out",
               "-c", f"duration={LONG_MS}ms", "-c", f"measure={{from: 5ms, to: {LONG_MS}ms}}", "-c", "expect=[]"]
    ratios = []
    for _ in range(PAIRS):
        without = busy_seconds([*command, "--no-snapshots"], folder, "run\n")[0]
        ratios.append(busy_seconds(command, folder, "run\n")[0] / without)
    return ["", "## Snapshots when nobody goes back", "",
            f"`{CONFIG}`, {LONG_MS} ms at the prompt, with snapshots against `--no-snapshots`,",
            f"{PAIRS} pairs:",
            f"ratios {', '.join(f'{r:.3f}' for r in sorted(ratios))}; median **{statistics.median(ratios):.3f}**."]


def table(folder):
    with (folder / "table.csv").open(encoding="utf-8") as text:
        return [(row["marks"], row["goodput"]) for row in csv.DictReader(text)]


def branch(dccvp, _, folder):
    shutil.copy(ROOT / LARGER, folder / "run.yaml")
    head = (f"platform: run.yaml\nset: {{duration: {WHOLE_MS}ms, measure: {MEASURE}, expect: []}}\n"
            "metrics: {marks: aggregate.ecn_marks, goodput: aggregate.goodput_gbps}\n")
    (folder / "late.yaml").write_text(
        f"{head}branch_at: {COMMON_MS}ms\ngrid: {{switch.ecn.kmax: [{', '.join(THRESHOLDS)}]}}\n", encoding="utf-8")
    changes = ", ".join(f"[{{at: {COMMON_MS}ms, set: {{switch.ecn.kmax: {t}}}}}]" for t in THRESHOLDS)
    (folder / "whole.yaml").write_text(f"{head}grid: {{changes: [{changes}]}}\n", encoding="utf-8")
    took = {}
    for name in ("late", "whole"):
        took[name] = busy_seconds([dccvp, "sweep", f"{name}.yaml", "--out", name, "-j", "2"], folder)
    if table(folder / "late") != table(folder / "whole"):
        sys.exit("the branches' table is not that of whole runs")
    if len(set(table(folder / "late"))) < POINTS / 2:
        sys.exit("the points hardly differ: this compares nothing")
    rows = [f"| {words} | {took[name][0]:.1f} s | {took[name][1]:.1f} s |"
            for name, words in (("late", f"`branch_at: {COMMON_MS}ms`"), ("whole", "whole runs"))]
    return ["", "## Points that part late", "",
            f"A sweep of {POINTS} values of `switch.ecn.kmax`, `{LARGER}` for {WHOLE_MS} ms,",
            f"the first {COMMON_MS} in common, two at a time; the tables are equal.", "",
            "| sweep | processor time | by the clock |", "|---|---|---|", *rows]


def moves(dccvp, number):
    busy, elapsed, _ = busy_seconds(
        ["/usr/bin/python3", "-B", ROOT / "tests/system/reverse_debug_test.py", dccvp, "--moves", number,
         "TimeTravel.test_random_moves_end_in_equal_states"], ROOT / "tests/system")
    return ["", "## Going to and fro", "",
            f"{number} random moves at the prompt (`back`, `goto`, `run`, steps both ways) in half a millisecond of an",
            f"incast of three, the state compared after each: {busy:.0f} s, {elapsed:.0f} by the clock, "
            f"{elapsed / number * 1000:.0f} ms a move; every state",
            "met again had the digest it had before."]


def page(parts):
    note = "" if os.getloadavg()[0] < os.cpu_count() else ", which others used too"
    return HEAD.format(processors=os.cpu_count(), note=note) + "\n".join(line for part in parts for line in part) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("dccvp", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("firmware", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--only", default="cpu,snapshots,branch,moves")
    parser.add_argument("--moves", type=int, default=10_000)
    parser.add_argument("--page", type=pathlib.Path)
    a = parser.parse_args()
    parts = []
    for name in a.only.split(","):
        with tempfile.TemporaryDirectory(prefix="dccvp-cost-") as folder:
            if name == "moves":
                part = moves(a.dccvp, a.moves)
            else:
                part = {"cpu": cpu, "snapshots": snapshots, "branch": branch}[name](
                    a.dccvp, a.firmware, pathlib.Path(folder))
        print("\n".join(part), flush=True)
        parts.append(part)
        if a.page is not None:
            a.page.write_text(page(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
