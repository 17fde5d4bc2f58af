#!/usr/bin/python3
"""Tests TIMELY with segments that are sent as bursts: no flow may stay at its minimum rate, whatever the time offsets
between the flows.

  timely_bursts_test.py BUILD/dccvp [--full]

The test uses ten random offsets between two flows, and fifty with --full (as in `make test-full`). It also checks the
orders of the paper's figures 9 and 10: with the gradient the link is busier and rates are steadier than with the low
threshold, and the tail is shorter than with the high threshold.
"""

import concurrent.futures
import csv
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

DCCVP = ""
OFFSETS = 50 if "--full" in sys.argv else 10
R_MIN_GBPS = 0.010

# Parameters of TIMELY's paper for 10 Gb/s. The defaults follow the network instead.
PAPER = {"ewma": "1/50", "additive_step": "10Mbps", "t_low": "50us", "t_high": "500us", "min_rtt": "20us",
         "r_min": "10Mbps"}

STAR = """\
duration: {duration}ms
measure: {{from: {half}ms, to: {duration}ms}}
topology: {{kind: star, hosts: {hosts}, link: {{rate: 10Gbps, delay: 5us, overhead: 0B}}}}
switch: {{ecn: {{enabled: false}}}}
nic: {{recovery: {{timeout: 500us}}, congestion_control: {{algorithm: timely, bursts: true, {options}}}}}
host: {{driver: none}}
traffic:
{flows}
output: {{plots: false, series: {{interval: 2ms, flows: all, queues: none}}}}
"""


class Star:
    """A star in which `flows` flows of up to ten hosts to one port start at different times."""

    def __init__(self, starts_us, options, duration_ms):
        self.starts_us, self.options, self.duration_ms = starts_us, options, duration_ms

    def config(self):
        hosts = min(len(self.starts_us), 10)
        flows = "\n".join(f"  - {{kind: flow, from: {1 + i % hosts}, to: 0, start: {start}us}}"
                          for i, start in enumerate(self.starts_us))
        paper = "".join(f"{key}: {value}, " for key, value in PAPER.items() if f"{key}:" not in self.options)
        return STAR.format(duration=self.duration_ms, half=self.duration_ms // 2, hosts=hosts + 1,
                           options=paper + self.options, flows=flows)

    def run(self):
        with tempfile.TemporaryDirectory(prefix="dccvp-timely-") as folder:
            config, out = pathlib.Path(folder) / "star.yaml", pathlib.Path(folder) / "out"
            config.write_text(self.config())
            done = subprocess.run([DCCVP, "run", str(config), "--out", str(out), "--quiet"],
                                  capture_output=True, text=True, check=False, timeout=PATIENCE)
            if done.returncode != 0:
                raise AssertionError(done.stderr)
            rates = {}
            with open(out / "series" / "flow_rates.csv", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    if float(row["t_s"]) * 2000 >= self.duration_ms:
                        rates.setdefault(row["flow"], []).append(float(row["target_gbps"]))
            figures = json.loads((out / "metrics.json").read_text())["aggregate"]
        return {"goodput": figures["goodput_gbps"], "p99": figures["rtt_us_p99"],
                "least_peak": min(max(one) for one in rates.values()),
                "variation": statistics.mean(statistics.pstdev(one) / statistics.mean(one)
                                             for one in rates.values())}


def offsets(count, seed):
    draw = random.Random(seed)
    return [draw.randrange(10_000) for _ in range(count)]


def run_all(stars):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(Star.run, stars))


class NeverFrozen(unittest.TestCase):
    """At the minimum rate of 10 Mb/s a segment of 64 KiB completes every 52 ms. A flow that stays at this rate for
    half a second has had nine completions without an increase."""

    def held(self, options, seconds_of=OFFSETS, crowds=(10, 100)):
        stars = [Star([0, second], options, 1000)
                 for second in [37, 5000] + offsets(seconds_of, 1)]
        stars += [Star(offsets(count, seed), options, 1000) for count in crowds for seed in range(2)]
        for star, found in zip(stars, run_all(stars)):
            self.assertGreater(found["least_peak"], 1.5 * R_MIN_GBPS,
                               f"{options}, starts {star.starts_us[:10]}")

    def test_bursts_of_16_kb(self):
        self.held("segment: 16KB")

    def test_bursts_of_64_kib(self):
        self.held("segment: 64KiB")

    def test_two_flows_whose_one_cut_goes_down_to_the_least_rate(self):
        # With these settings only the resolution of the clock limits the gradient.
        self.held("segment: 64KiB, ewma: 7/8, max_decrease: 1", 10, ())


class GradientAgainstThresholds(unittest.TestCase):
    def ordered(self, options, duration_ms):
        numbers = (2, 10, 40, 100)
        variants = ("", ", t_high: 50us", ", t_low: 500us")
        found = iter(run_all([Star(offsets(number, 3), options + variant, duration_ms)
                              for number in numbers for variant in variants]))
        for number in numbers:
            gradient, low, high = next(found), next(found), next(found)
            told = f"{number} flows, {options}: {gradient}, {low}, {high}"
            self.assertGreater(gradient["goodput"], low["goodput"], told)
            # With 100 flows the minimum rates determine the queues, and the round trips differ by less than 5 %.
            self.assertLess(gradient["p99"], high["p99"] * (1.05 if number == 100 else 1), told)
            if number > 2:  # with two flows all samples are steady
                self.assertLess(gradient["variation"], low["variation"], told)

    def test_bursts_of_16_kb(self):
        self.ordered("segment: 16KB, ewma: 1/20", 600)

    def test_bursts_of_64_kib_paced_by_the_nic(self):
        self.ordered("segment: 64KiB, burst_rate: 5Gbps", 2000)


if __name__ == "__main__":
    DCCVP = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
