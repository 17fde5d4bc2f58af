#!/usr/bin/python3
"""Tests that flow control alone can deadlock a network, that the run reports the deadlock, and that congestion
control prevents it.

  congestion_spreading_test.py BUILD/dccvp
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
DCCVP = ""


def run(config, *overrides, status=0):
    with tempfile.TemporaryDirectory(prefix="dccvp-spreading-") as folder:
        out = pathlib.Path(folder) / "out"
        arguments = [DCCVP, "run", str(ROOT / "configs" / config), "--out", str(out), "--no-plots"]
        for override in overrides:
            arguments += ["-c", override]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE,
                              check=False)
        if done.returncode != status:
            raise AssertionError(f"{config}: exit {done.returncode}: {done.stderr}{done.stdout}")
        return json.loads((out / "metrics.json").read_text()), done.stdout


class Ring(unittest.TestCase):
    def test_a_deadlock_is_named_and_nothing_moves_in_it(self):
        metrics, text = run("pfc_deadlock.yaml", "measure.from=3ms")
        stuck = {wire["link"] for wire in metrics["deadlock"]}
        self.assertEqual(stuck, {f"s{i}->s{(i + 1) % 5}" for i in range(5)})
        self.assertEqual({wire["priority"] for wire in metrics["deadlock"]}, {0})
        self.assertEqual(metrics["aggregate"]["deadlocked_links"], 5)
        self.assertIn("Note: PFC deadlock", text)
        # From 3 ms on no packet is delivered, although none was lost.
        self.assertEqual(metrics["aggregate"]["goodput_gbps"], 0)
        self.assertEqual(metrics["aggregate"]["drops"], 0)
        self.assertGreater(metrics["balance"]["packets_in_flight"], 100)
        for link in metrics["links"]:
            if link["name"] in stuck:
                self.assertAlmostEqual(link["pause_s"], 2e-3, delta=1e-6)

    def test_an_expectation_can_make_it_fail_the_run(self):
        run("pfc_deadlock.yaml", "expect=[{metric: aggregate.deadlocked_links, max: 0}]", status=1)

    def test_control_keeps_it_from_coming_about(self):
        for algorithm in ("dcqcn", "dcc", "dctcp", "hpcc"):
            with self.subTest(algorithm=algorithm):
                metrics, text = run("pfc_deadlock.yaml", "measure.from=3ms",
                                    f"nic.congestion_control.algorithm={algorithm}")
                self.assertEqual(metrics["deadlock"], [])
                self.assertNotIn("deadlock", text)
                # Every link of the ring carries two of the five flows.
                self.assertGreater(metrics["aggregate"]["goodput_gbps"], 0.5 * 2.5 * 23)

    def test_mere_congestion_is_no_deadlock(self):
        metrics, _ = run("reproduce/victim_flow.yaml", "duration=5ms", "measure={from: 1ms, to: 5ms}")
        self.assertGreater(metrics["aggregate"]["pfc_pauses"], 100)
        self.assertEqual(metrics["deadlock"], [])


if __name__ == "__main__":
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
