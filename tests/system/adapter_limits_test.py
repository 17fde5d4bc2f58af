#!/usr/bin/python3
"""Tests adaptive timeouts and message limits of network adapters, for all hosts and for single hosts.

  adapter_limits_test.py BUILD/dccvp
"""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE, figures

DCCVP = ""

# Hosts 1 and 2 send one packet each to host 0. For 450 us their links lose every packet.
OUTAGE = """\
duration: 20ms
topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: 1us}}
nic: {congestion_control: {algorithm: none}, recovery: {timeout: 1ms}}
host: {driver: none}
traffic: [{kind: incast, senders: [1, 2], receiver: 0, bytes: 1000B}]
faults:
  - {kind: loss, link: h1->s0, probability: 1, stop: 450us}
  - {kind: loss, link: h2->s0, probability: 1, stop: 450us}
output: {plots: false}
"""

# Host 1 sends through one queue pair, host 2 through four. Messages of 512 bytes at full rate would be 20 million per
# second.
MESSAGES = """\
duration: 1ms
measure: {from: 200us}
topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}
nic: {congestion_control: {algorithm: none}}
host: {driver: none}
traffic: [{kind: flow, from: 1, to: 0, message: 512B}, {kind: flow, from: 2, to: 3, flows: 4, message: 512B}]
output: {plots: false}
"""


class AdapterLimits(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="dccvp-adapter-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_it(self, text, *overrides):
        config, out = self.folder / "t.yaml", self.folder / "out"
        config.write_text(text)
        command = [DCCVP, "run", str(config), "--out", str(out), "--force", "--quiet"]
        for override in overrides:
            command += ["-c", override]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return figures(out), list(csv.DictReader((out / "flows.csv").read_text().splitlines()))

    def ends(self, *overrides):
        """Returns the completion time of each host's flow in microseconds, and the number of timeouts."""
        metrics, flows = self.run_it(OUTAGE, *overrides)
        return [float(flow["end_s"]) * 1e6 for flow in flows], metrics["aggregate"]["timeouts"]

    def test_adaptive_timeouts_begin_at_a_sixteenth_and_double(self):
        # Timeouts of 62.5, 62.5, 125 and 250 us expire at 62.5, 125, 250 and 500 us. Only the last one is after the
        # outage.
        ends, timeouts = self.ends("nic.recovery.adaptive=true")
        for end in ends:
            self.assertAlmostEqual(end, 500, delta=6)
        self.assertEqual(timeouts, 8)
        ends, timeouts = self.ends()
        for end in ends:
            self.assertAlmostEqual(end, 1000, delta=6)
        self.assertEqual(timeouts, 2)

    def test_the_least_timeout_may_be_written(self):
        # Timeouts of 200, 200 and 400 us: the third timeout expires at 800 us.
        ends, timeouts = self.ends("nic.recovery={timeout: 1ms, adaptive: true, least_timeout: 200us}")
        for end in ends:
            self.assertAlmostEqual(end, 800, delta=6)
        self.assertEqual(timeouts, 6)

    def test_adaptive_timeouts_by_host(self):
        ends, timeouts = self.ends("nics=[{hosts: 2, recovery: {adaptive: true}}]")
        self.assertAlmostEqual(ends[0], 1000, delta=6)
        self.assertAlmostEqual(ends[1], 500, delta=6)
        self.assertEqual(timeouts, 5)

    def test_short_timeouts_do_not_count_as_retries(self):
        def failed(retries, stop, *more):
            fault = f"faults=[{{kind: loss, link: h1->s0, probability: 1, stop: {stop}}}]"
            _, flows = self.run_it(OUTAGE, fault, f"nic.recovery.retries={retries}", *more)
            return [flow["completed"] for flow in flows] == ["false", "true"]

        # The first timeout of the full 1 ms expires at 62.5 + 62.5 + 125 + 250 + 500 + 1000 = 2000 us.
        self.assertFalse(failed(1, "1990us", "nic.recovery.adaptive=true"))
        self.assertTrue(failed(0, "1990us", "nic.recovery.adaptive=true"))
        self.assertTrue(failed(1, "2010us"), "fixed timeouts run out at 1 and 2 ms")

    def rates(self, *overrides):
        """Million messages per second of each flow."""
        _, flows = self.run_it(MESSAGES, *overrides)
        return [float(flow["goodput_gbps"]) * 1e3 / 8 / 512 for flow in flows]

    def test_messages_of_a_queue_pair(self):
        for rate in self.rates("nic.message_rate.queue_pair=2MHz"):
            self.assertAlmostEqual(rate, 2, delta=0.02)

    def test_messages_of_a_nic(self):
        rates = self.rates("nic.message_rate.nic=6MHz")
        self.assertAlmostEqual(rates[0], 6, delta=0.06)
        for rate in rates[1:]:
            self.assertAlmostEqual(rate, 1.5, delta=0.03)

    def test_messages_by_host(self):
        plain = self.rates()
        self.assertGreater(plain[0], 15)
        rates = self.rates("nics=[{hosts: 2, message_rate: {queue_pair: 2MHz, nic: 6MHz}}]")
        self.assertAlmostEqual(rates[0], plain[0], delta=0.01)
        for rate in rates[1:]:
            self.assertAlmostEqual(rate, 1.5, delta=0.03)


if __name__ == "__main__":
    DCCVP = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
