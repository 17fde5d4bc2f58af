#!/usr/bin/python3
"""Tests the tutorial's law in a whole platform: the law's estimate affects the rates, and the RTL engine is refused
for the law.

  law_run_test.py TUTORIAL_DCCVP ROOT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

DCCVP, ROOT = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
CONFIG = ROOT / "configs/incast_8x25g.yaml"


def run(policy, driver):
    with tempfile.TemporaryDirectory(prefix="dccvp-tutorial-") as folder:
        out = pathlib.Path(folder) / "out"
        subprocess.run([DCCVP, "run", CONFIG, "-c", f"nic.congestion_control.policy={policy}", "-c", "duration=3ms",
                        "-c", "measure={from: 0us, to: 3ms}", "-c", "expect=[]", "-c", f"host.driver={driver}",
                        "--no-plots", "--out", out], check=True, capture_output=True)
        return json.loads((out / "metrics.json").read_text())["aggregate"]


class TutorialLaw(unittest.TestCase):
    def test_cuts_where_its_notifications_say(self):
        for driver in ("native", "none"):
            figures = run("mark_fraction", driver)
            self.assertGreater(figures["rate_decreases"], 0, driver)
            self.assertNotEqual(figures, run("dcqcn", driver), driver)

    def test_rtl_is_refused(self):
        for key in ("engine", "rate_lut"):
            for what in ("rtl", "lockstep"):
                done = subprocess.run([DCCVP, "check", CONFIG, "-c", "nic.congestion_control.policy=mark_fraction",
                                       "-c", f"nic.controller.{key}={what}"], capture_output=True, text=True,
                                      check=False)
                self.assertEqual(done.returncode, 2, done.stdout)
                if "no RTL" not in done.stderr:
                    self.assertIn("the hardware has no policy: mark_fraction, so nic.controller."
                                  f"{key} cannot be {what}", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
