#!/usr/bin/python3
"""Tests that Indigo's shipped policy is the result of its training, and that the policy's windows come near those of
the expert.

  indigo_policy_test.py [BUILD/dccvp]
"""

import contextlib
import io
import pathlib
import random
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from dccvp.experiments import indigo_policy  # noqa: E402


def delay_of(policy, flows):
    """Mean queueing delay, in base round trips, of flows that use the policy."""
    draw = random.Random(5)
    windows, before, total = [2.0 ** draw.uniform(-4, 0) for _ in range(flows)], [indigo_policy.STAY] * flows, 0.0
    for turn in range(400):
        delay = max(0.0, sum(windows) - 1)
        total += delay / 200 if turn >= 200 else 0
        for i in range(flows):
            seen = max(0.0, delay + draw.gauss(0, 0.02))
            before[i] = policy[indigo_policy.state_of(seen, windows[i], before[i])]
            windows[i] = indigo_policy.act(windows[i], before[i])
    return total


class IndigoPolicy(unittest.TestCase):
    def test_the_shipped_policy_is_what_training_gives(self):
        self.assertEqual(indigo_policy.main(["--check"]), 0)
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(indigo_policy.main(["--check", "--seed", "2", "--episodes", "1"]), 1)

    def test_training_brings_flows_to_the_experts_windows(self):
        policy = indigo_policy.train(seed=3, episodes=30)
        for flows in (2, 8, 16):
            ideal = flows * indigo_policy.QUEUE
            self.assertLess(abs(delay_of(policy, flows) - ideal), 0.19 * ideal + indigo_policy.STEP)

    def test_a_file_has_a_line_for_each_delay(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "policy.txt"
            indigo_policy.main(["--out", str(path), "--episodes", "1"])
            lines = path.read_text(encoding="utf-8").splitlines()
        self.assertEqual([len(line) for line in lines if line[0] != "#"], [160] * 32)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
