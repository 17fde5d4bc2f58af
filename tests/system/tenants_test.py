#!/usr/bin/python3
"""Tests the closed loop of firmware and controller: tenants get the shares of their weights, however many flows they
open.

  tenants_test.py BUILD/dccvp

The test takes the firmware from BUILD/firmware. Without a RISC-V compiler no firmware is built, and the test is
skipped.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = ROOT / "configs" / "tenants.yaml"
DCCVP = ""


def run(*overrides, config=CONFIG):
    """Runs the program. Returns exit status, metrics and output."""
    with tempfile.TemporaryDirectory(prefix="dccvp-tenants-") as folder:
        out = pathlib.Path(folder) / "out"
        arguments = [DCCVP, "run", str(config), "--out", str(out), "--no-plots", "--quiet"]
        for override in overrides:
            arguments += ["-c", override]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False,
                              timeout=PATIENCE)
        if done.returncode not in (0, 1):
            raise AssertionError(done.stderr)
        return done.returncode, json.loads((out / "metrics.json").read_text()), done.stderr


class Tenants(unittest.TestCase):
    def test_the_shipped_configuration_keeps_its_promises(self):
        status, metrics, said = run()
        self.assertEqual(status, 0, said)
        self.assertEqual(metrics["failures"], [])
        self.assertEqual(metrics["flow_count"], 21)  # the queue pairs of the QoS closed loop do not count as flows
        self.assertEqual(metrics["aggregate"]["drops"], 0)
        qos = metrics["qos"]
        # A meter sends a report every millisecond, and three agents get a command every two milliseconds. Both begin
        # after the first interval and end with the run.
        self.assertAlmostEqual(qos["messages"], 150 + 3 * 75, delta=8)
        self.assertAlmostEqual(qos["updates"], 74, delta=1)
        self.assertGreater(qos["commands"], 20)
        gold, silver, bronze = qos["tenants"]
        self.assertEqual([gold["flows"], silver["flows"], bronze["flows"]], [1, 16, 0])
        # Gold has weight 2 and one flow, silver weight 1 and sixteen flows.
        self.assertAlmostEqual(gold["factor"] / silver["factor"], 32, delta=6)

    def test_the_manager_as_firmware_reaches_the_same_shares(self):
        elf = pathlib.Path(DCCVP).parent / "firmware" / "traffic.elf"
        if not elf.exists():
            self.skipTest("no firmware in this build")
        # Host 4 sends no flows, so its core of 200 MHz has all its time for the QoS manager. Bronze joins at 38 ms,
        # and windows of 20 ms begin from 58 ms on.
        short = ("duration=82ms", "traffic.2.start=38ms", "traffic.2.stop=82ms")
        _, native, _ = run(*short)
        status, firmware, said = run(*short, f"hosts={{4: {{driver: firmware, elf: {elf}}}}}")
        # the expectations were written for the native driver and hold with firmware
        self.assertEqual(status, 0, said)
        self.assertEqual(native["hosts"][4]["instructions"], 0)
        self.assertGreater(firmware["hosts"][4]["instructions"], 100_000)
        self.assertAlmostEqual(firmware["qos"]["updates"], native["qos"]["updates"], delta=1)
        for ours, theirs in zip(firmware["tenants"], native["tenants"]):
            self.assertAlmostEqual(ours["share"], theirs["share"], delta=0.01)
        for ours, theirs in zip(firmware["qos"]["tenants"], native["qos"]["tenants"]):
            self.assertAlmostEqual(math.log2(ours["factor"] / theirs["factor"]), 0, delta=0.25)

    def test_without_the_manager_flows_count_not_tenants(self):
        status, metrics, _ = run("qos.manager=none", "duration=60ms", "dscp.46.weight=2",
                                 "traffic.2.stop=59ms")
        self.assertEqual(status, 1)  # the expectations of the configuration fail
        gold = metrics["tenants"][0]
        self.assertNotIn("qos", metrics)
        # Before bronze joins, gold gets 2 of 18 parts, by its share of flow weights, instead of 2 of 3.
        self.assertGreater(gold["share_error_window"], 0.7)


class UnderInfiniBand(unittest.TestCase):
    """With InfiniBand's congestion control the QoS manager sets CCTI_Increase and CCTI_Timer instead of factors."""

    CONFIG = ROOT / "configs" / "tenants_ibcc.yaml"

    def test_any_100_ms_are_within_5_percent(self):
        status, metrics, said = run(config=self.CONFIG)
        self.assertEqual(status, 0, said)
        self.assertEqual(metrics["aggregate"]["drops"], 0)
        gold, silver, _ = metrics["qos"]["tenants"]
        # Gold has twice silver's weight and one flow, and silver has eight flows, so gold's factor per flow is 2 · 8
        # = 2^4 times as large.
        self.assertAlmostEqual(math.log2(gold["factor"] / silver["factor"]), 4, delta=0.5)

    def test_where_credits_run_out_before_marks_come_the_port_goes_by_inputs(self):
        status, metrics, _ = run("switch.credits.buffer=auto", config=self.CONFIG)
        self.assertEqual(status, 1)
        self.assertGreater(metrics["tenants"][1]["share_error_window"], 0.2)

    def test_marks_of_whole_bursts_cost_the_port(self):
        status, metrics, _ = run("nic.congestion_control.marking_rate=0", config=self.CONFIG)
        self.assertEqual(status, 1)
        self.assertLess(metrics["aggregate"]["goodput_gbps"], 7)


if __name__ == "__main__":
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
