#!/usr/bin/python3
"""Tests that each algorithm fills a link with its default parameters, which follow the link rate and the round trip.

  defaults_test.py BUILD/dccvp [--full] [--show]

2 to 16 senders send to one receiver. Between 5 and 12 ms the link is at least 90 % busy, the flows' rates lie
within 20 % of their mean, the queue's 99th percentile is at most four bandwidth-delay products or some packets
of each sender, and no port pauses; known misses are listed below. The algorithms and rates are those of
configs/sweeps/defaults.yaml: all but Allegro, which fills any queue by its law. Over links inside a rack (20 to
60 m), where a round trip holds three to twelve packets, every algorithm of the program keeps the link busy.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import yaml

from harness import PATIENCE

SWEEP = pathlib.Path(__file__).resolve().parents[2] / "configs/sweeps/defaults.yaml"
DELAY_US = 1
SENDERS = (2, 3, 8, 16)
# If a link holds only a few packets in flight, the queue may hold two full packets per sender, which is more than
# four bandwidth-delay products.
FEW_PACKETS, PER_SENDER = 25_000, 2 * 1150
# Known misses of equal rates, which follow from the algorithms. TIMELY has no fixed point with equal rates (its
# gradient is zero for any shares), and cuts all flows at once when many compete. QCN cuts the flows whose packets are
# sampled by chance. Flows of DCTCP and Indigo share 12 packets in flight at 25 Gb/s. Vivace compares utilities of
# intervals of ten packets. Sixteen windows of DX share twelve packets at 25 Gb/s, and two windows become equal slowly
# at 800 Gb/s.
UNEQUAL = {("timely", "200Gbps"), "qcn", "vivace", ("dctcp", "25Gbps"), ("indigo", "25Gbps"), ("dx", "25Gbps"),
           ("dx", "800Gbps")}
# Known misses of the queue's bound. 16 senders of ibcc at the link rate fill the buffer before BECNs have slowed them
# down; the buffer drains for milliseconds, in which BECNs continue. CDG follows the change of the RTT, so nothing
# bounds its queue where many windows grow by a packet. Sixteen full windows of Vegas shrink by one packet per round
# trip, and are not small after 5 ms. Vivace's rates change in steps.
LONG_QUEUE = {("ibcc", "25Gbps", 16), ("vegas", "400Gbps", 16), ("vegas", "800Gbps", 16), ("vivace", "25Gbps", 16),
              ("cdg", "100Gbps", 16)}
# Known misses of the link's use. With 12 packets in flight one BECN of two or three flows is a deep cut for ibcc
# (0.88 and 0.89). Sixteen windows of DX hold less than a packet each, and rates of two flows of Vivace change in
# steps of a twentieth.
IDLE = {("timely", "800Gbps", 16), *(("ibcc", "25Gbps", n) for n in (2, 3, 16)), ("vivace", "25Gbps", 2),
        ("dx", "25Gbps", 16)}
# Links inside a rack: rate and delay in ns, with known misses of the link's use. Two senders of ibcc lose much with a
# cut of a few packets in flight. The windows of DX grow by whole packets, a third of the bytes in flight. Two flows
# of Indigo keep a window of one packet although three packets fill the link.
RACK = [("1Gbps", 300), ("10Gbps", 100), ("25Gbps", 300), ("100Gbps", 100)]
RACK_USE, RACK_IDLE = 0.85, {("ibcc", 2): 0.77, ("dx", 2): 0.75, ("dx", 8): 0.75, ("indigo", 2): 0.4}
# Algorithms whose rates differ by more than half over these links. Vivace compares utilities of intervals of a few
# packets, and eight windows of DX share three packets in flight.
RACK_UNEQUAL = {"vivace", "dx"}
# Links of 2 km, where 170 round trips pass between 5 and 12 ms. The rates of ibcc recover within 6 ms.
LONG_RATE, LONG_DELAY_NS, LONG_USE, LONG_IDLE = "25Gbps", 10_000, 0.9, {"ibcc": 0.75}


def product(rate, delay_ns=1000 * DELAY_US):
    """Link rate times the round trip over four links without serialization, in bytes."""
    return int(rate.removesuffix("Gbps")) / 8 * 4 * delay_ns


class Defaults(unittest.TestCase):
    def run_point(self, algorithm, rate, senders, seed=1, delay_ns=1000 * DELAY_US, more=None):
        """Runs `senders` senders at `rate` and returns the metrics. Below 10 Gb/s all times are ten times as long."""
        longer = 10 if rate == "1Gbps" else 1
        config = {
            "seed": seed,
            "duration": f"{12 * longer}ms",
            "measure": {"from": f"{5 * longer}ms", "to": f"{12 * longer}ms"},
            "topology": {"kind": "star", "hosts": senders + 1, "link": {"rate": rate, "delay": f"{delay_ns}ns"}},
            "host": {"driver": "none"},
            "nic": {"congestion_control": {"algorithm": algorithm}},
            "traffic": [{"kind": "incast", "senders": f"1..{senders}", "receiver": 0}],
            "output": {"plots": False, "series": {"flows": "none", "queues": "none", "classes": False}},
            **(more or {}),
        }
        with tempfile.TemporaryDirectory(prefix="dccvp-defaults-") as folder:
            path = pathlib.Path(folder) / "defaults.yaml"
            path.write_text(json.dumps(config), encoding="utf-8")
            out = pathlib.Path(folder) / "out"
            done = subprocess.run([OPTIONS.dccvp, "run", str(path), "--out", str(out), "--quiet"],
                                  capture_output=True, text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            metrics = json.loads((out / "metrics.json").read_text(encoding="utf-8"))
        rates = [flow["goodput_gbps"] for flow in metrics["flows"]]
        mean = sum(rates) / len(rates)
        return {"use": max(link["utilisation"] for link in metrics["links"]),
                "queue": max(queue["p99_bytes"] for queue in metrics["queues"]),
                "unequal": max(abs(rate - mean) for rate in rates) / mean,
                "pauses": metrics["aggregate"]["pfc_pauses"],
                "told": [finding["id"] for finding in metrics["diagnoses"]]}

    def test_algorithms_that_draw_follow_the_seed(self):
        """The results of algorithms that draw random numbers must depend on the seed; otherwise confidence
        intervals over seeds have no width."""
        for algorithm in ("allegro", "cdg", "vivace"):
            with self.subTest(algorithm):
                first, second = (self.run_point(algorithm, "25Gbps", 3, seed) for seed in (1, 2))
                self.assertNotEqual(first, second)

    def algorithms(self):
        """Returns all algorithms of the program except Allegro, which slows down only after losses."""
        listed = subprocess.run([OPTIONS.dccvp, "params", "--format", "json"], capture_output=True, text=True,
                                timeout=PATIENCE, check=True)
        choice = next(p for p in json.loads(listed.stdout) if p["path"] == "nic.congestion_control.algorithm")
        algorithms = [name for name in choice["range"].split(" | ") if name not in ("none", "program", "allegro")]
        self.assertGreater(len(algorithms), 15)
        return algorithms

    def test_windows_of_cdg_grow_back_where_a_round_trip_holds_hundreds_of_packets(self):
        """The windows of CDG must recover fast enough for nearly equal rates. With an increase of one packet per round
        trip a window needs milliseconds to recover from one backoff, and the inequality of the rates reached 0.9."""
        for rate, delay_ns in (("200Gbps", 3_000), ("400Gbps", 5_000)):
            with self.subTest(rate):
                found = self.run_point("cdg", rate, 8, delay_ns=delay_ns)
                if OPTIONS.show:
                    print("cdg", rate, delay_ns, 8, found, flush=True)
                self.assertLessEqual(found["unequal"], 0.3)
                self.assertLessEqual(found["queue"], 4 * product(rate, delay_ns))

    def test_allegro_fills_the_buffer_that_it_is_given(self):
        """Only packet losses slow Allegro down. A buffer of three bandwidth-delay products bounds Allegro's queue and
        keeps the link busy. With the default buffer the run reports a standing queue."""
        for rate in ("25Gbps", "100Gbps", "400Gbps"):
            with self.subTest(rate):
                three = 3 * product(rate)
                found = self.run_point("allegro", rate, 8)
                self.assertGreater(found["queue"], 2 * three)
                self.assertIn("standing_queue", found["told"])
                found = self.run_point("allegro", rate, 8, more={"switch": {"buffer": f"{round(three)}B"}})
                self.assertLessEqual(found["queue"], three)
                self.assertGreaterEqual(found["use"], 0.85)
                self.assertNotIn("standing_queue", found["told"])

    def test_rates_recover_over_long_links(self):
        """Flows that start at the line rate are cut deeply. The recovery of these rates must not take hundreds of long
        round trips."""
        for algorithm in self.algorithms():
            with self.subTest(algorithm):
                found = self.run_point(algorithm, LONG_RATE, 3, delay_ns=LONG_DELAY_NS)
                if OPTIONS.show:
                    print(algorithm, LONG_RATE, LONG_DELAY_NS, 3, found, flush=True)
                self.assertGreaterEqual(found["use"], LONG_IDLE.get(algorithm, LONG_USE))

    def test_every_algorithm_fills_a_link_inside_a_rack(self):
        """On a link that holds few packets in flight, one packet of another flow must not count as congestion."""
        algorithms = self.algorithms()
        points = [(a, link, n) for a in algorithms for link in RACK for n in (2, 8)]
        if not OPTIONS.full:  # without --full the test runs one point per algorithm
            points = [(a, RACK[1 + i % 3], (2, 8)[i // 3 % 2]) for i, a in enumerate(algorithms)]
            points += [("timely", RACK[1], 2), ("dx", RACK[1], 2), ("powertcp", RACK[1], 8)]
        for algorithm, (rate, delay_ns), senders in points:
            with self.subTest(algorithm=algorithm, rate=rate, delay_ns=delay_ns, senders=senders):
                found = self.run_point(algorithm, rate, senders, delay_ns=delay_ns)
                if OPTIONS.show:
                    print(algorithm, rate, delay_ns, senders, found, flush=True)
                self.assertEqual(found["pauses"], 0)
                self.assertGreaterEqual(found["use"], RACK_IDLE.get((algorithm, senders), RACK_USE))
                if algorithm not in RACK_UNEQUAL:
                    self.assertLessEqual(found["unequal"], 0.5)

    def test_every_algorithm_fills_the_link(self):
        grid = yaml.safe_load(SWEEP.read_text(encoding="utf-8"))["grid"]
        algorithms, rates = grid["nic.congestion_control.algorithm"], grid["topology.link.rate"]
        self.assertGreater(min(len(algorithms), len(rates)), 4)
        points = [(a, r, n) for a in algorithms for r in rates for n in SENDERS]
        if not OPTIONS.full:  # without --full the test runs one rate and two numbers of senders per algorithm
            points = [(a, rates[(i + 1) % len(rates)], n) for i, a in enumerate(algorithms)
                      for n in (SENDERS[i % 2], 8)]
        for algorithm, rate, senders in points:
            with self.subTest(algorithm=algorithm, rate=rate, senders=senders):
                found = self.run_point(algorithm, rate, senders)
                if OPTIONS.show:
                    print(algorithm, rate, senders, found, flush=True)
                if (algorithm, rate, senders) not in LONG_QUEUE:
                    self.assertLessEqual(found["queue"], max(FEW_PACKETS + senders * PER_SENDER, 4 * product(rate)))
                self.assertEqual(found["pauses"], 0)
                if (algorithm, rate, senders) not in IDLE:
                    self.assertGreaterEqual(found["use"], 0.9)
                if algorithm not in UNEQUAL and (algorithm, rate) not in UNEQUAL:
                    self.assertLessEqual(found["unequal"], 0.2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("dccvp")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--show", action="store_true", help="print a line a point")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
