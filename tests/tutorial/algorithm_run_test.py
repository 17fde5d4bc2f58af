#!/usr/bin/python3
"""Tests the tutorial's algorithm in a whole platform: the algorithm must get the notifications that it requests.

  algorithm_run_test.py TUTORIAL_DCCVP ROOT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

DCCVP, ROOT = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
CHOSEN = ["-c", "nic.congestion_control.algorithm=aimd", "-c", "duration=3ms",
          "-c", "measure={from: 0us, to: 3ms}"]


def aggregate(*overrides):
    with tempfile.TemporaryDirectory(prefix="dccvp-tutorial-") as folder:
        out = pathlib.Path(folder) / "out"
        arguments = [a for text in overrides for a in ("-c", text)]
        subprocess.run([DCCVP, "run", ROOT / "configs/incast_8x25g.yaml", *CHOSEN, *arguments,
                        "--out", out], check=True, capture_output=True)
        return json.loads((out / "metrics.json").read_text())["aggregate"]


class TutorialAlgorithm(unittest.TestCase):
    def test_gets_its_notifications_whoever_brings_the_hosts_up(self):
        for driver in ("native", "none"):
            figures = aggregate(f"host.driver={driver}")
            # each of eight senders has received more than one CNP on average
            self.assertGreater(figures["cnps_received"], 8, driver)
            self.assertEqual(figures["rate_decreases"], figures["cnps_received"], driver)
            self.assertGreater(figures["rate_increases"], 0, driver)

    def test_one_that_asks_for_none_gets_none(self):
        figures = aggregate("host.driver=native", "nic.congestion_control.algorithm=dctcp")
        self.assertGreater(figures["ecn_marks"], 100)
        self.assertEqual(figures["cnps_sent"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
