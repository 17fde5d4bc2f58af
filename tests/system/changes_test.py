"""Tests parameters that change during a run. A change has no effect before its time and has its effect afterwards.
The results are byte-identical with threads, from the effective configuration, and on repetition."""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

import harness

DCCVP = sys.argv.pop(1)
CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"
INSTANT = 400e-6

INCAST = """\
duration: 3ms
topology: {kind: star, hosts: 5, link: {rate: 25Gbps}}
nic: {congestion_control: {algorithm: dcc}}
host: {driver: DRIVER}
switch: {scheduler: {kind: ets}, buffer: 1MiB}
dscp: {10: {priority: 1}, 46: {priority: 2}}
traffic:
  - {kind: incast, senders: 1..2, receiver: 0, dscp: 10}
  - {kind: incast, senders: 3..4, receiver: 0, dscp: 46}
output: {plots: false, series: {interval: 5us, flows: all, queues: all}}
"""
CHANGES = {
    "switch.ecn.kmax": "20KB",
    "switch.ecn.enabled": "false",
    "switch.pfc.alpha": "1/1024",
    "switch.scheduler.weights": "[1, 1, 9, 1, 1, 1, 1, 1]",
    "nic.congestion_control.r_ai": "400Mbps",
    "nic.congestion_control.increase_timer": "10us",
    "nic.congestion_control.g": "1/4",
    "nic.congestion_control.timer_restart": "false",
    "dscp.46.weight": "8",
    "dscp.10.max_rate": "1Gbps",
}


class Changes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_with(self, name, config, *words):
        out = self.folder / name
        done = subprocess.run([DCCVP, "run", str(config), "--no-plots", "--quiet", "--force", "--out",
                               str(out), *words],
                              capture_output=True, text=True, check=False, timeout=harness.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def samples(self, out):
        """Rows of the series of rates and queues, by time."""
        rows = {}
        for file in ("flow_rates.csv", "queue.csv"):
            with (out / "series" / file).open(encoding="utf-8") as text:
                for row in csv.DictReader(text):
                    rows.setdefault(float(row["t_s"]), []).append(sorted(row.items()))
        return rows

    def assert_parts_at_the_instant(self, plain, changed, what):
        plain, changed = self.samples(plain), self.samples(changed)
        self.assertEqual(plain.keys(), changed.keys())
        different = [t for t in plain if plain[t] != changed[t]]
        self.assertTrue(different, f"{what}: nothing changed")
        self.assertGreater(min(different), INSTANT, what)

    def test_each_acts_from_its_instant(self):
        for driver in ("none", "native"):
            config = self.folder / f"{driver}.yaml"
            config.write_text(INCAST.replace("DRIVER", driver), encoding="utf-8")
            plain = self.run_with("plain", config)
            for path, value in CHANGES.items():
                with self.subTest(f"{driver}: {path}"):
                    change = f"changes=[{{at: 400us, set: {{{path}: {value}}}}}]"
                    changed = self.run_with("changed", config, "-c", change)
                    self.assert_parts_at_the_instant(plain, changed, path)

    def test_is_recorded_and_repeats(self):
        config = self.folder / "incast.yaml"
        config.write_text(INCAST.replace("DRIVER", "native"), encoding="utf-8")
        change = "changes=[{at: 400us, set: {dscp.46: {weight: 8}, switch.ecn.kmax: 20KB}}]"
        one = self.run_with("one", config, "-c", change)
        again = self.run_with("again", one / "config.effective.yaml")
        self.assertIn("set: {dscp.46: {weight: 8}, switch.ecn.kmax: 20KB}",
                      (one / "config.effective.yaml").read_text(encoding="utf-8"))
        self.assertEqual(harness.figures(one), harness.figures(again))
        for file in one.rglob("*.csv"):
            self.assertEqual(file.read_bytes(), (again / file.relative_to(one)).read_bytes())

    def test_threads_make_no_difference(self):
        config = CONFIGS / "reproduce" / "fbhadoop_dcqcn.yaml"
        words = ["-c", "duration=200us", "-c", "expect=[]",
                 "-c", "nic.congestion_control={algorithm: dcc}",
                 "-c", "changes=[{at: 50us, set: {switch.ecn: {kmin: 1KB, kmax: 2KB}}},"
                       " {at: 100us, set: {nic.congestion_control.r_ai: 1Gbps}}]"]
        one = self.run_with("one", config, *words, "--threads", "1")
        two = self.run_with("two", config, *words, "--threads", "2")
        self.assertEqual(harness.figures(one), harness.figures(two))
        plain = self.run_with("plain", config, *words[:-2], "--threads", "2")
        self.assertNotEqual(harness.figures(one), harness.figures(plain))
        for file in one.rglob("*.csv"):
            self.assertEqual(file.read_bytes(), (two / file.relative_to(one)).read_bytes())


if __name__ == "__main__":
    unittest.main()
