#!/usr/bin/python3
"""Tests losses of every kind of packet: all flows complete under every algorithm, and every packet is accounted for.

  faults_test.py BUILD/dccvp
"""

import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
DCCVP = ""
ALGORITHMS = ("none", "dcc", "dcqcn", "qcn", "timely", "dctcp", "hpcc", "ibcc",
              "swift", "powertcp", "hull")
FLOWS, BYTES, MESSAGE = 8, 2_000_000, 65_536
LOSS = "{kind: loss, probability: 0.1%}"
CNP_LOSS = "{kind: cnp_loss, flow: 0}"
LINK_DOWN = "{kind: link_down, link: s0->h0, start: 2ms, stop: 3ms}"


class Faults(unittest.TestCase):
    def run_faults(self, *overrides, seed=1):
        with tempfile.TemporaryDirectory(prefix="dccvp-faults-") as folder:
            out = pathlib.Path(folder) / "out"
            command = [DCCVP, "run", str(ROOT / "configs/faults.yaml"), "--out", str(out),
                       "--no-plots", "--quiet", "--seed", str(seed)]
            for override in overrides:
                command += ["-c", override]
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE,
                                  check=False)
            self.assertEqual(done.returncode, 0, f"{overrides}: {done.stderr}")
            metrics = json.loads((out / "metrics.json").read_text())
            with open(out / "series/class.csv", newline="") as file:
                self.goodput = [(float(row["t_s"]), float(row["goodput_gbps"]))
                                for row in csv.DictReader(file)]
        self.check_all_arrived(metrics)
        return metrics

    def check_all_arrived(self, metrics):
        self.assertTrue(metrics["completed"])
        self.assertEqual([flow["completed"] for flow in metrics["flows"]], [True] * FLOWS)
        b = metrics["balance"]
        self.assertGreater(b["packets_sent"], FLOWS * BYTES // 1000)
        self.assertEqual(b["packets_sent"], b["packets_delivered"] + b["packets_dropped"]
                         + b["packets_in_flight"])
        self.assertEqual(b["events_started"], b["events_expired"] + b["events_cancelled"]
                         + b["events_pending"])

    def test_three_kinds_at_once_under_every_algorithm(self):
        for algorithm in ALGORITHMS:
            for seed in (1, 2):
                with self.subTest(algorithm=algorithm, seed=seed):
                    metrics = self.run_faults(
                        f"nic.congestion_control={{algorithm: {algorithm}}}", seed=seed)
                    self.assertGreater(metrics["balance"]["packets_dropped"], 0)
                    self.assertGreater(metrics["aggregate"]["retransmits"], 0)

    def test_no_faults_no_losses(self):
        metrics = self.run_faults("faults=[]", "expect=[]")
        self.assertEqual(metrics["balance"]["packets_dropped"], 0)
        self.assertEqual(metrics["aggregate"]["retransmits"], 0)
        self.assertEqual(metrics["aggregate"]["timeouts"], 0)
        self.assertGreater(metrics["hosts"][1]["cnps_received"], 0)

    def test_random_loss_is_as_frequent_as_it_says(self):
        metrics = self.run_faults(f"faults=[{LOSS}]", "traffic.0.bytes=20MB")
        sent = metrics["link_traversals"]
        expected = sent * 0.001
        lost = metrics["balance"]["packets_dropped"]
        self.assertLessEqual(abs(lost - expected), 5 * math.sqrt(expected), (lost, expected))

    def test_a_loss_of_data_or_of_control_packets_spares_the_others(self):
        for packets, of_control in (("data", False), ("control", True)):
            with self.subTest(packets=packets):
                metrics = self.run_faults(f"faults=[{{kind: loss, probability: 5%, packets: {packets}}}]",
                                          "expect=[]")
                self.assertGreater(metrics["balance"]["packets_dropped"], 0)
                missing = metrics["aggregate"]["cnps_sent"] - metrics["aggregate"]["cnps_received"]
                if of_control:
                    self.assertGreater(missing, 0)
                else:
                    self.assertLessEqual(missing, metrics["balance"]["packets_in_flight"])

    def test_cnps_of_one_flow_and_nothing_else(self):
        metrics = self.run_faults(f"faults=[{CNP_LOSS}]", "expect=[]")
        received = [host["cnps_received"] for host in metrics["hosts"]]
        self.assertEqual(received[1], 0)
        self.assertTrue(all(count > 0 for count in received[2:]), received)
        a = metrics["aggregate"]
        self.assertEqual(metrics["balance"]["packets_dropped"], a["cnps_sent"] - a["cnps_received"])
        self.assertEqual(a["retransmits"], 0)
        # Flow 0 gets no CNP, since all its CNPs are lost, so it ends first.
        ends = [flow["end_s"] for flow in metrics["flows"]]
        self.assertEqual(min(ends), ends[0])

    def test_a_dead_link_carries_nothing_and_comes_back(self):
        metrics = self.run_faults(f"faults=[{LINK_DOWN}]")
        # A sample covers the interval that ends at t. After the link's failure a packet is on the wire for 1 us.
        dead = [g for t, g in self.goodput if 2.06e-3 <= t <= 3.0e-3]
        self.assertGreaterEqual(len(dead), 18)
        self.assertEqual(max(dead), 0)
        self.assertGreater(max(g for t, g in self.goodput if t < 2e-3), 10)
        self.assertGreater(max(g for t, g in self.goodput if t > 3.5e-3), 10)
        self.assertGreater(metrics["aggregate"]["retransmits"], 0)

    def test_silence_longer_than_the_timeout_is_counted(self):
        metrics = self.run_faults("faults=[{kind: link_down, link: s0->h0, start: 2ms, stop: 5ms}]")
        self.assertGreaterEqual(metrics["aggregate"]["timeouts"], FLOWS)

    def test_a_lost_packet_has_kept_its_wire_busy(self):
        metrics = self.run_faults("nic.congestion_control={algorithm: none}",
                                  "measure={from: 2.01ms, to: 2.06ms}", "expect=[]")
        link = next(link for link in metrics["links"] if link["name"] == "s0->h0")
        self.assertEqual(link["tx_bytes"], 0)  # the failed link carries no byte
        self.assertAlmostEqual(link["utilisation"], 1, delta=0.02)

    def test_what_is_not_there_is_refused_by_check_and_run(self):
        config = str(ROOT / "configs/faults.yaml")
        for fault, words in (
                ("{kind: cnp_loss, flow: 8}", "faults.0.flow: there is no flow 8: there are 0 to 7"),
                ("{kind: link_down, link: s0->h99, stop: 1ms}",
                 "faults.0.link: there is no link 's0->h99'; they are named as 'h0->s0'")):
            for command in ("check", "run"):
                with self.subTest(fault=fault, command=command):
                    arguments = [DCCVP, command, config, "-c", f"faults=[{fault}]"]
                    if command == "run":
                        arguments += ["--out", "/nonexistent/out"]
                    done = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE,
                                          check=False)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn(words, done.stderr)

    def test_payload_is_exact_all_the_same(self):
        metrics = self.run_faults("host.driver=native", "nic.payload=real", "duration=40ms",
                                  "nic.congestion_control={algorithm: dcc}")
        self.assertEqual(sum(host["payload_errors"] for host in metrics["hosts"]), 0)
        self.assertEqual(sum(host["completions_lost"] for host in metrics["hosts"]), 0)
        self.assertEqual(sum(host["messages_verified"] for host in metrics["hosts"]),
                         FLOWS * -(-BYTES // MESSAGE))


if __name__ == "__main__":
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
