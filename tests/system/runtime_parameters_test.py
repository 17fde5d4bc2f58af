#!/usr/bin/python3
"""Tests that every parameter which `params` lists as changeable during a run affects the run when it changes.

  runtime_parameters_test.py BUILD/dccvp [--seed N]

The new values are random; --seed selects other values.
"""

import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

import harness

DCCVP = sys.argv.pop(1)
SEED = 1

# Two classes and a small buffer, so that pauses, drops and marks occur. At the end a single flow is left, whose rate
# rises.
STAR = """\
duration: 1ms
topology: {kind: star, hosts: 7, link: {rate: 25Gbps, delay: 500ns}}
host: {driver: none}
dscp: {10: {priority: 1}, 46: {priority: 2, weight: 4}}
traffic:
  - {kind: incast, senders: 1..2, receiver: 0, dscp: 10, stop: 400us}
  - {kind: incast, senders: 3..4, receiver: 0, dscp: 46, stop: 400us}
  - {kind: flow, from: 5, to: 0, dscp: 46, start: 150us, bytes: 20KB, flows: 8, stagger: 70us}
  - {kind: flow, from: 6, to: 0, dscp: 10}
  - {kind: background, from: 5, to: 0, rate: 2Gbps, dscp: 46}
output: {plots: false}
"""
SMALL = "switch: {scheduler: {kind: ets}, buffer: 200KB, %s}"
CONTEXTS = {
    "rules of the patent": (
        SMALL % "ecn: {kmin: 10KB, kmax: 80KB, pmax: 0.2}",
        "nic: {congestion_control: {algorithm: dcc, byte_counter: 20KB, cut_floor: 0.6, f: 1, increase_timer: 20us}, "
        "cnp: {interval: 4us}}"),
    "proportional": (
        SMALL % "ecn: {per: queue}",
        "nic: {congestion_control: {algorithm: dcc, policy: proportional}}"),
    "priorities": (
        SMALL % "ecn: {kmin: 10KB, kmax: 80KB}, priorities: {1: {}, 2: {lossy: true}}",
        "nic: {congestion_control: {algorithm: none}, recovery: {timeout: 100us}}"),
    "by speed": (
        SMALL % "ecn: {by_speed: {25Gbps: {kmin: 10KB, kmax: 80KB, pmax: 0.2}}}",
        "nic: {congestion_control: {algorithm: dcqcn}}"),
    "by class": (
        SMALL % "ecn: {by_dscp: {46: {kmin: 10KB, kmax: 80KB, pmax: 0.2}}}",
        "nic: {congestion_control: {algorithm: dcqcn}}"),
    "reference rates": (
        SMALL % "ecn: {kmin: 40KB, kmax: 320KB, reference_rate: 100Gbps}, pfc: {reference_rate: 100Gbps}",
        "nic: {congestion_control: {algorithm: dcqcn}}"),
    "phantom queues": (
        SMALL % "ecn: {kmin: 150KB, kmax: 160KB, phantom_drain: 0.9, phantom_threshold: 6KB}",
        "nic: {congestion_control: {algorithm: dctcp}}"),
}
# Phrases in the message about a change that is refused because it would have no effect.
REFUSALS = ("cannot change during a run", "changes the controller's", "has no effect")
INSTANT = "40us"


def candidates(row, rng):
    """Candidate values for a parameter, in random order."""
    kind = row["type"]
    if kind == "choice":
        values = [word for word in row["range"].split(" | ") if word != row["value"]]
    elif kind == "true or false":
        values = ["true", "false"]
    elif kind == "list of integers":
        values = [str([rng.choice((1, 1, 9, 30)) for _ in range(8)]) for _ in range(4)]
    else:
        values = {"size": [f"{rng.randint(1, 9)}{unit}" for unit in ("KB", "0KB", "00KB", "MB")] + ["0B"],
                  "ratio": [f"1/{rng.randint(500, 1000)}", f"1/{rng.randint(20, 60)}", "1/2", "1", "8"],
                  "rate": [f"{rng.randint(1, 9)}{unit}" for unit in ("Mbps", "0Mbps", "00Mbps", "Gbps", "0Gbps")],
                  "time": [f"{rng.randint(1, 9)}{unit}" for unit in ("us", "0us", "00us")],
                  "integer": [str(rng.randint(1, 4)), str(rng.randint(8, 40)), str(rng.randint(100, 200))]}[kind]
    values = [value for value in values if value != row["value"]]
    rng.shuffle(values)
    return values


def general(path):
    """The parameter's path as the schema writes it, with N for the key of a class, a priority or a rate."""
    return re.sub(r"\.(\d+|\d+Gbps)(?=\.|$)", ".N", path)


class RuntimeParameters(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def marked(self, *arguments):
        """The rows of `params` for parameters that may change during a run."""
        done = subprocess.run([DCCVP, "params", *map(str, arguments), "--format", "json"], capture_output=True,
                              text=True, check=True, timeout=harness.PATIENCE)
        return [row for row in json.loads(done.stdout) if row["runtime"]]

    def figures(self, config, *changed):
        """Returns the figures of a run, or None and the error message if the program refuses the change."""
        out = self.folder / "run"
        options = ["-c", "changes=[{at: %s, set: {%s}}]" % (INSTANT, changed[0])] if changed else []
        done = subprocess.run([DCCVP, "run", config, "--no-plots", "--quiet", "--force", "--out", out, *options],
                              capture_output=True, text=True, check=False, timeout=harness.PATIENCE)
        if done.returncode == 2:
            return None, done.stderr
        self.assertEqual(done.returncode, 0, f"{changed}: {done.stderr}")
        return harness.figures(out), ""

    def write(self, name):
        config = self.folder / f"{name}.yaml"
        config.write_text(STAR + "\n".join(CONTEXTS[name]), encoding="utf-8")
        return config

    def test_each_reaches_something(self):
        rng = random.Random(SEED)
        known = {row["path"] for row in self.marked()}
        self.assertGreater(len(known), 40)
        reached, refused, idle = set(), {}, {}
        for name in CONTEXTS:
            config = self.write(name)
            plain, _ = self.figures(config)
            for row in self.marked(config):
                path = general(row["path"])
                if path in reached:
                    continue
                for value in candidates(row, rng):
                    figures, complaint = self.figures(config, f"{row['path']}: {value}")
                    if figures is None:
                        if any(words in complaint for words in REFUSALS):
                            self.assertRegex(complaint, r"-c changes=|\.yaml:\d+:\d+: ")
                            refused[path] = complaint
                            break
                    elif figures != plain:
                        reached.add(path)
                        break
                    else:
                        idle.setdefault(path, []).append(f"{name}: {value}")
        told = [f"{path}: {', '.join(idle.get(path, []))} {refused.get(path, '')}" for path in known - reached]
        self.assertEqual(sorted(told), [], f"changed nothing (--seed {SEED})")

    def test_a_change_to_the_present_value_changes_nothing(self):
        # Shows that the differences in the other tests come from the new values, and not from making a change.
        config = self.write("rules of the patent")
        plain, _ = self.figures(config)
        for what in ("switch.ecn.kmax: 80KB", "dscp.46.weight: 4", "nic.congestion_control.byte_counter: 20KB"):
            self.assertEqual(self.figures(config, what)[0], plain, what)

    def test_what_would_reach_nothing_is_refused(self):
        for algorithm, change, words in (
                ("{algorithm: dcqcn}", "nic.mtu: 2KB", "cannot change during a run"),
                ("{algorithm: dcqcn}", "nic.cnp.interval: 9us", "cannot change during a run"),
                ("{algorithm: dcc}", "nic.cnp.carry_marks: true", "cannot change during a run"),
                ("{algorithm: dcc}", "nic.ack: per_message", "cannot change during a run"),
                ("{algorithm: dcqcn}", "dscp.46.weight: 2", "changes the controller's tables: algorithm: dcc"),
                ("{algorithm: dcc, policy: proportional_int}", "nic.congestion_control.r_ai: 9Mbps",
                 "changes the controller's registers: policy proportional_int has no controller"),
                ("{algorithm: dcc, policy: proportional_int}", "dscp.46.weight: 2",
                 "changes the controller's tables: policy proportional_int has no controller"),
                ("{algorithm: dcc}", "nic.congestion_control.silence: 9",
                 "has no effect: policy dcqcn does not use it"),
                ("{algorithm: dcc}", "nic.congestion_control: {r_ai: 9Mbps, brisk: 9}",
                 "has no effect: policy dcqcn does not use it"),
                *(("{algorithm: dcc, policy: proportional}", f"nic.congestion_control.{change}",
                   "has no effect: policy proportional does not use it")
                  for change in ("f: 3", "alpha_timer: 9us", "byte_counter: 90KB", "initial_alpha: 1/3",
                                 "clamp_target: after_timer")),
                ("{algorithm: hull}", "switch.ecn.kmax: 500KB", "has no effect: algorithm hull sets it to"),
                ("{algorithm: ibcc}", "switch.ecn: {kmin: 9KB}", "has no effect: algorithm ibcc sets it to")):
            with self.subTest(algorithm=algorithm, change=change):
                config = self.folder / "refused.yaml"
                config.write_text(STAR + f"nic: {{congestion_control: {algorithm}}}\n"
                                  f"changes:\n- {{at: 300us, set: {{{change}}}}}\n", encoding="utf-8")
                figures, complaint = self.figures(config)
                self.assertTrue(figures is None, "accepted")
                self.assertIn(words, complaint)
                self.assertRegex(complaint, r"refused\.yaml:14:\d+: ")


if __name__ == "__main__":
    if "--seed" in sys.argv:
        at = sys.argv.index("--seed")
        SEED = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main()
