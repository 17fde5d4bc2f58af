#!/usr/bin/python3
"""Tests the tutorial's transport in a whole platform that loses packets: every byte arrives exactly once.

  transport_run_test.py TUTORIAL_DCCVP ROOT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

DCCVP, ROOT = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
CHOSEN = ["-c", "nic.transport.kind=irn", "-c", "nic.congestion_control.algorithm=none",
          "-c", "switch.pfc.enabled=false", "-c", "measure={from: 0us, to: 50ms}",
          "-c", "traffic=[{kind: incast, senders: 1..8, receiver: 0, bytes: 1MB}]"]


def run(probability):
    with tempfile.TemporaryDirectory(prefix="dccvp-tutorial-") as folder:
        out = pathlib.Path(folder) / "out"
        subprocess.run([DCCVP, "run", ROOT / "configs/incast_8x25g.yaml", *CHOSEN, "-c",
                        f"faults=[{{kind: loss, probability: {probability}}}]", "--out", out],
                       check=True, capture_output=True)
        return json.loads((out / "metrics.json").read_text())


class TutorialTransport(unittest.TestCase):
    def test_brings_every_byte_once_whatever_is_lost(self):
        for probability in (0.005, 0.05):
            metrics = run(probability)
            self.assertEqual(metrics["slowdown"]["all"]["flows"], 8, probability)
            for flow in metrics["flows"]:
                self.assertTrue(flow["completed"], probability)
            self.assertGreater(metrics["aggregate"]["retransmits"], 20, probability)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
