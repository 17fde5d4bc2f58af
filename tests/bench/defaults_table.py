#!/usr/bin/python3
"""Runs eight senders to one receiver with default parameters, for every algorithm and every rate, and writes a page.

  defaults_table.py BUILD/dccvp configs/sweeps/defaults.md [--only ALGORITHM,…] [--rates GBPS,…]

Rows of algorithms and rates that are not run keep their values on the page. All rows take about ten minutes of
processor time.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

RATES = (25, 100, 200, 400, 800)
WINDOWS = ((5, 20), (20, 60))  # beginning and end of each measurement window in ms
BASE_RTT_US = 4
USE, QUEUE, UNEQUAL, WITHIN_MS = 0.9, 4, 0.2, 5
BIN_US = 500
# Reasons why an algorithm's law misses a target for every choice of the algorithm's parameters.
REASONS = {
    ("allegro", "queue"): "nothing but loss lowers its utility: each flow sends as much as its window allows, 256 "
                          "packets (told: standing_queue)",
    ("vivace", "unequal"): "an interval of ten packets lasts seven round trips here, so that the window holds two "
                           "hundred decisions; equal within 0.2 in 20–60 ms (told: unequal_flows)",
}
HEAD = """# Eight senders into one receiver with nothing but a topology

After this page you know which algorithm keeps its promises with defaults, at which rate, and why the rest does not.
Written by `tests/bench/defaults_table.py`: `configs/incast_defaults.yaml` with the algorithm and the rate, one seed.

*90 %*: the moment in ms at which the receiver's link has been 90 % busy over half a millisecond for the first time, and
the moment from which every half millisecond until 20 ms is; –: none is. Aim of the first: at most 5 ms.
*Use*: share of the time in which the receiver's link is busy. *Queue*: mean / 99th percentile, in products of rate and
base RTT (4 µs). *Unequal*: greatest distance of a flow's rate from the mean, as a share of the mean. Aims: use at
least 0.9, 99th percentile of the queue at most 4, unequal at most 0.2, no pause; what misses one is **bold**.

| algorithm | Gb/s | 90 % | use 5–20 ms | queue | unequal | pauses | use 20–60 ms | queue | unequal | pauses |
|---|---|---|---|---|---|---|---|---|---|---|
"""


def algorithms(dccvp):
    listed = subprocess.run([dccvp, "params", "--format", "json"], capture_output=True, text=True, check=True)
    choice = next(p for p in json.loads(listed.stdout) if p["path"] == "nic.congestion_control.algorithm")
    return [name for name in choice["range"].split(" | ") if name not in ("none", "program")]


def moments(series, busy_per_goodput):
    """Ends, in ms, of two intervals of 0.5 ms: the first with a link use of USE, and the first after which the use
    stays at USE."""
    goodput = {}
    with open(series, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            goodput[row["t_s"]] = goodput.get(row["t_s"], 0) + float(row["goodput_gbps"])
    first = stays = None
    for end_s, gbps in goodput.items():
        if gbps * busy_per_goodput < USE:
            stays = None
            continue
        first = first or float(end_s) * 1e3
        stays = stays or float(end_s) * 1e3
    return first, stays


def moment_cell(first, stays):
    text = " / ".join(f"{ms:.1f}" if ms else "–" for ms in (first, stays))
    return text if first and first <= WITHIN_MS else f"**{text}**"


def cells(dccvp, algorithm, rate, window):
    """The table cells of a measurement window, and the cell with the moment at which the link reaches its use."""
    config = pathlib.Path(__file__).resolve().parents[2] / "configs/incast_defaults.yaml"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([dccvp, "run", config, "--quiet", "--no-plots", "--out", f"{folder}/out",
                        "-c", f"duration={window[1]}ms", "-c", f"measure={{from: {window[0]}ms}}",
                        "-c", f"topology.link.rate={rate}Gbps", "-c", f"nic.congestion_control.algorithm={algorithm}",
                        "-c", f"output.series={{interval: {BIN_US}us, flows: none, queues: none}}"], check=True)
        metrics = json.loads(pathlib.Path(folder, "out/metrics.json").read_text(encoding="utf-8"))
        use = max(link["utilisation"] for link in metrics["links"])
        moment = moment_cell(*moments(f"{folder}/out/series/class.csv", use / metrics["aggregate"]["goodput_gbps"]))
    rates = [flow["goodput_gbps"] for flow in metrics["flows"]]
    mean = sum(rates) / len(rates)
    queue = max(metrics["queues"], key=lambda q: q["p99_bytes"])
    product = rate * 1e9 / 8 * BASE_RTT_US * 1e-6
    p99 = queue["p99_bytes"] / product
    unequal = max(abs(one - mean) for one in rates) / mean
    pauses = metrics["aggregate"]["pfc_pauses"]
    return table_cells(use, queue["mean_bytes"] / product, p99, unequal, pauses), moment


def table_cells(use, queue, p99, unequal, pauses):
    missed = {"use": use < USE, "queue": p99 > QUEUE, "unequal": unequal > UNEQUAL, "pauses": pauses > 0}
    texts = {"use": f"{use:.3f}", "queue": f"{queue:.2f} / {p99:.2f}", "unequal": f"{unequal:.3f}",
             "pauses": str(pauses)}
    return [f"**{text}**" if missed[aim] else text for aim, text in texts.items()]


def rows_of(page):
    """The rows of an existing page as a dictionary: (algorithm, rate) -> table cells."""
    rows = {}
    if page.exists():
        for line in page.read_text(encoding="utf-8").splitlines():
            parts = [part.strip() for part in line.strip("|").split("|")]
            if len(parts) == 11 and parts[1].isdigit():
                rows[parts[0], int(parts[1])] = parts[2:]
    return rows


def page_of(rows):
    text = HEAD
    missed = {}
    for (algorithm, rate), row in sorted(rows.items()):
        text += f"| {algorithm} | {rate} | " + " | ".join(row) + " |\n"
        for aim, cell in zip(("90 %", *("use", "queue", "unequal", "pauses") * 2), row):
            if cell.startswith("**") and rate not in missed.setdefault((algorithm, aim), []):
                missed[algorithm, aim].append(rate)
    text += "\n## What misses an aim, and why\n| algorithm | aim | at Gb/s | reason |\n|---|---|---|---|\n"
    for (algorithm, aim), at in sorted(missed.items()):
        reason = REASONS.get((algorithm, aim), "**not explained**")
        text += f"| {algorithm} | {aim} | {', '.join(map(str, at))} | {reason} |\n"
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dccvp")
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--only", help="algorithms, with commas between")
    parser.add_argument("--rates", help="rates in Gb/s, with commas between")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else algorithms(options.dccvp)
    rates = [int(rate) for rate in options.rates.split(",")] if options.rates else RATES
    rows = rows_of(options.page)
    for algorithm in wanted:
        for rate in rates:
            early, late = (cells(options.dccvp, algorithm, rate, window) for window in WINDOWS)
            rows[algorithm, rate] = [early[1], *early[0], *late[0]]
            options.page.write_text(page_of(rows), encoding="utf-8")
            print(algorithm, rate, rows[algorithm, rate], flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
