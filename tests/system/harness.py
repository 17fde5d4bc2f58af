"""Shared parts of the tests of the program: time limits, repeatable results, a small network."""

import json
import pathlib
import re

# Time limit of a process in seconds: long enough for a busy machine.
PATIENCE = 1200

SKIPPED = 77  # exit status of a test that this build cannot run (ctest: skipped)

# Three senders send to one port of 25 Gb/s. The hosts' drivers configure the controllers.
SMALL_INCAST = """\
duration: 1ms
topology: {kind: star, hosts: 4, link: {rate: 25Gbps}}
nic: {congestion_control: {algorithm: dcc}}
host: {driver: native}
traffic:
  - {kind: incast, senders: 1..3, receiver: 0, dscp: 46, start: 50us}
output: {plots: false}
"""


def figures(out):
    """The metrics.json in a run's folder without wall_s and speed, which depend on the machine."""
    metrics = json.loads((pathlib.Path(out) / "metrics.json").read_text(encoding="utf-8"))
    del metrics["wall_s"], metrics["speed"]
    return metrics


def expect_in_order(test, text, *patterns):
    """Checks that every pattern occurs in the text, in this order."""
    at = 0
    for pattern in patterns:
        found = re.compile(pattern, re.MULTILINE).search(text, at)
        test.assertIsNotNone(found, f"{pattern!r} not found behind position {at} of:\n{text}")
        at = found.end()
