#!/usr/bin/python3
"""What the keys of `traffic:` do in a run, where only the whole platform shows it.

  traffic_test.py BUILD/dccvp
"""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

DCCVP = ""

STAGGERED = """\
duration: 2ms
topology: {kind: star, hosts: 4, link: {rate: 25Gbps}}
nic: {congestion_control: {algorithm: dctcp}}
host: {driver: none}
traffic:
  - {kind: incast, senders: 1..3, receiver: 0, start: 100us, stagger: 200us,
     stop: 1ms, stop_stagger: 300us}
output: {series: {interval: 20us}}
"""

# 300 kB take 240 us and more.
ALONE = """\
duration: 2ms
topology: {kind: star, hosts: 2, link: {rate: 10Gbps}}
nic: {congestion_control: {algorithm: none}}
host: {driver: none}
traffic: [{kind: flow, from: 1, to: 0, bytes: 300KB, message: MESSAGE}]
"""


class Staggered(unittest.TestCase):
    def test_flows_start_and_stop_one_after_the_other(self):
        with tempfile.TemporaryDirectory(prefix="dccvp-traffic-") as folder:
            config = pathlib.Path(folder) / "staggered.yaml"
            config.write_text(STAGGERED)
            out = pathlib.Path(folder) / "out"
            subprocess.run([DCCVP, "run", str(config), "--out", str(out), "--no-plots", "--quiet"],
                           check=True, timeout=PATIENCE)
            active = {0: [], 1: [], 2: []}
            with open(out / "series/flow_rates.csv", newline="") as file:
                for row in csv.DictReader(file):
                    if float(row["goodput_gbps"]) > 0:
                        active[int(row["flow"])].append(float(row["t_s"]) * 1e6)
        for flow, times in active.items():
            # What was posted still drains: a message of 64 KiB at a third of the line is 65 us.
            self.assertAlmostEqual(min(times), 110 + 200 * flow, delta=25, msg=f"flow {flow}")
            self.assertGreaterEqual(max(times), 1000 + 300 * flow - 20, msg=f"flow {flow}")
            self.assertLessEqual(max(times), 1000 + 300 * flow + 120, msg=f"flow {flow}")


class Alone(unittest.TestCase):
    def test_the_ideal_time_counts_every_packet_of_every_message(self):
        """A flow alone at line rate takes the ideal time, also when messages end in short packets."""
        for message in ("500B", "1001B", "1999B", "64KiB", "300KB"):
            with self.subTest(message=message), tempfile.TemporaryDirectory() as folder:
                config = pathlib.Path(folder) / "alone.yaml"
                config.write_text(ALONE.replace("MESSAGE", message))
                out = pathlib.Path(folder) / "out"
                subprocess.run([DCCVP, "run", str(config), "--out", str(out), "--no-plots",
                                "--quiet"], check=True, timeout=PATIENCE)
                with open(out / "flows.csv", newline="") as file:
                    flow = next(csv.DictReader(file))
                # The base RTT has a full packet's 0.9 us on either link.
                self.assertAlmostEqual((float(flow["fct_s"]) - float(flow["ideal_s"])) * 1e6, 0,
                                       delta=2, msg=flow["slowdown"])


if __name__ == "__main__":
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
