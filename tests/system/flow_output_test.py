#!/usr/bin/python3
"""Compares results without a list of flows (output.flows) with results that have the list, for the same seed.

  flow_output_test.py BUILD/dccvp
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from dccvp import InputError, Run  # noqa: E402

DCCVP = ""

# Configuration with 4000 flows, more than the plan holds, so most flows are added to the results when they end. The
# measurement window cuts some flows, some flows start after it, losses cause retransmissions, and the last flows do
# not end.
RANDOM = """\
duration: 1500us
seed: 7
topology: {kind: leaf_spine, leaves: 4, spines: 2, hosts_per_leaf: 4, fabric_link: {rate: 100Gbps, delay: 1us}}
host: {driver: none}
switch: {buffer: 200KB, pfc: {enabled: false}}
measure: {from: 200us, to: 1ms, window: 100us}
dscp: {46: {weight: 2}}
faults: [{kind: loss, link: leaf1->spine0, probability: 0.001}]
traffic:
  - {kind: poisson, sizes: fbhadoop, load: 0.8, flows_per_host: 200, deadline: 200us}
  - {kind: poisson, sizes: fbhadoop, load: 0.2, flows_per_host: 50, dscp: 46}
  - {kind: incast, senders: 1..7, receiver: 0, bytes: 200KB, start: 300us}
  - {kind: partition_aggregate, senders: 1..6, receiver: 8, bytes: 20KB, rounds: 20, period: 50us}
"""

# Configuration with few flows, which the plan holds: endless flows of two tenants at one bottleneck, and a flow that
# is stopped.
SHARES = """\
duration: 3ms
topology: {kind: star, hosts: 9, link: {rate: 25Gbps, delay: 1us}}
nic: {congestion_control: {algorithm: dcqcn}}
host: {driver: none}
measure: {from: 1ms}
tenants: [{name: a, weight: 1}, {name: b, weight: 3}]
dscp: {10: {weight: 1, tenant: a}, 46: {weight: 3, tenant: b}}
traffic:
  - {kind: incast, senders: 1..3, receiver: 0, dscp: 10, stagger: 100us}
  - {kind: incast, senders: 4..6, receiver: 0, dscp: 46, stop: 2500us}
  - {kind: background, from: 7, to: 8, rate: 1Gbps, dscp: 10}
"""

# Configuration with flows and computations that wait by name and have a critical path.
WAITING = """\
duration: 10ms
topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}
host: {driver: none}
traffic:
  - {id: forward, kind: compute, hosts: 0..3, time: 100us}
  - {id: reduce, kind: collective, shape: ring_all_reduce, hosts: 0..3, bytes: 1MB, rounds: 1,
     after: {flows: forward, scope: host}}
  - {kind: compute, hosts: 0..3, time: 50us, after: {flows: reduce, scope: host}}
"""

# Configuration whose rounds of traffic are taken from burst memory.
ROUNDS = """\
duration: 1s
topology: {kind: star, hosts: 8, link: {rate: 100Gbps, delay: 1us}}
nic: {congestion_control: {algorithm: dctcp}}
host: {driver: none}
traffic: [{kind: collective, shape: ring_all_reduce, bytes: 1MB, rounds: 30, think: 50us}]
fast_forward: {memo: true}
output: {series: {flows: none, queues: none, classes: false}}
"""

ERROR = 1 / 256
TIMES = ("slowdown", "slowdown_received", "reference_slowdown")


def is_quantile(name):
    return name.removeprefix("us_").removeprefix("slowdown_") in ("p50", "p90", "p95", "p99", "p999")


STUDY = """\
platform: small.yaml
seeds: 1
variants: {dcqcn: {nic.congestion_control: {algorithm: dcqcn}, output.flows: sketch}}
cases: {"2 flows": {flows: {1: 2}}}
"""


class Harness(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def run_with(self, text, flows, *words):
        """Runs a configuration. Returns (folder, metrics without values that differ between runs)."""
        config = self.folder / "config.yaml"
        config.write_text(text)
        out = self.folder / f"{flows}{''.join(words)}"
        done = subprocess.run([DCCVP, "run", str(config), "--out", str(out), "--force", "--no-plots", "--quiet",
                               "-c", f"output.flows={flows}", *words], capture_output=True, text=True, check=False,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        figures = json.loads((out / "metrics.json").read_text())
        del figures["wall_s"], figures["speed"]
        return out, figures


class Figures(Harness):
    def compare(self, exact, other, path=""):
        """Compares results: quantiles within the sketch's error, all other values up to rounding."""
        if isinstance(exact, dict):
            self.assertEqual(list(exact), list(other), path)
            for name, value in exact.items():
                self.compare(value, other[name], f"{path}.{name}")
        elif isinstance(exact, list):
            self.assertEqual(len(exact), len(other), path)
            for i, value in enumerate(exact):
                self.compare(value, other[i], f"{path}.{i}")
        elif isinstance(exact, float) and other is not None:
            name = path.rpartition(".")[2]
            sketched = is_quantile(name) and path.split(".")[1] in (*TIMES, "fct")
            self.quantiles += sketched
            self.assertAlmostEqual(other, exact, delta=abs(exact) * (ERROR if sketched else 2e-8), msg=path)
        else:
            self.assertEqual(exact, other, path)

    def check_all(self, text, window=False):
        """Compares all kinds of flow output. Returns the number of compared quantiles."""
        self.quantiles = 0
        out, listed = self.run_with(text, "all")
        self.assertTrue((out / "flows.csv").exists())
        self.assertNotIn("sketch", listed)
        for flows in ("sketch", "none"):
            out, figures = self.run_with(text, flows)
            self.assertFalse((out / "flows.csv").exists())
            self.assertFalse((out / "timeline.csv").exists())
            error = ERROR if flows == "sketch" else None
            self.assertEqual(figures["sketch"], {"flows": flows, "quantile_error": error})
            self.assertIsNone(figures["flows"])
            told = [one["text"] for one in figures["diagnoses"] if one["id"] == "flows_left_out"]
            self.assertEqual(len(told), 1)
            for word in ("flows.csv", "idle_link", "starving_flows", "weights_missed", "weights_without_effect"):
                self.assertIn(word, told[0])
            self.assertEqual("share_error_window" in told[0], window)
            self.assertEqual("timeline.csv" in told[0], "dependencies" in listed)
            expected = json.loads(json.dumps(listed))
            for one in (figures, expected):
                del one["flows"], one["diagnoses"], one["warnings"]
            del figures["sketch"]
            for tenant in expected["tenants"]:
                tenant["share_error_window"] = None
            if flows == "none":
                for name in TIMES:
                    expected.pop(name, None)
                    self.assertEqual(figures.pop(name, {"all": None, "bins": []}), {"all": None, "bins": []})
                one = expected["fct"]["all"]
                for name in one:
                    if name.startswith(("us_", "slowdown_")):
                        self.assertIsNone(figures["fct"]["all"][name])
                self.assertEqual(figures["fct"]["all"]["completed"], one["completed"])
                del figures["fct"], expected["fct"]
            self.compare(expected, figures)
        return self.quantiles

    def test_random_flows(self):
        self.assertGreater(self.check_all(RANDOM), 200)

    def test_shares_of_classes_and_tenants(self):
        self.check_all(SHARES)
        self.check_all(SHARES.replace("from: 1ms", "from: 1ms, window: 200us"), window=True)

    def test_critical_path(self):
        self.assertGreater(self.check_all(WAITING), 10)

    def test_rounds_from_memory(self):
        self.assertGreater(self.check_all(ROUNDS), 10)

    def test_a_window_that_never_begins(self):
        self.check_all(ROUNDS.replace("fast_forward: {memo: true}", "measure: {from: 500ms}"))


class Determinism(Harness):
    def test_results_do_not_depend_on_threads_or_on_who_holds_flows(self):
        for flows in ("sketch", "none"):
            one, _ = self.run_with(RANDOM, flows, "--threads", "1")
            files = sorted(f.relative_to(one) for f in one.rglob("*.csv"))
            for threads in ("2", "3"):
                many, _ = self.run_with(RANDOM, flows, "--threads", threads)
                self.assertEqual(self.figures_of(many), self.figures_of(one))
                for file in files:
                    self.assertEqual((many / file).read_bytes(), (one / file).read_bytes(), file)
            # With state digests the plan holds all flows, which are added to the results at the end.
            held, _ = self.run_with(RANDOM, flows, "-c", "output.digest.every=1ms")
            self.assertEqual(self.figures_of(held), self.figures_of(one))

    def figures_of(self, folder):
        figures = json.loads((folder / "metrics.json").read_text())
        for name in ("wall_s", "speed"):
            del figures[name]
        return figures


class WithoutTheList(Harness):
    """Tools that read results report that the list of flows is missing, and show no empty figure in its place."""

    def test_report(self):
        for flows in ("sketch", "none"):
            out, metrics = self.run_with(RANDOM, flows, "-c", "output.series.flows=all")
            page = self.folder / "report.html"
            done = subprocess.run([DCCVP, "report", str(out), "-o", str(page)], capture_output=True, text=True,
                                  check=False, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            text = page.read_text(encoding="utf-8")
            self.assertEqual(text.count("This run kept no list of its flows (output.flows)."), 2)
            self.assertIn(f">{metrics['flows_completed']} of {metrics['flow_count']}<", text.replace("&#8239;", ""))
            for wrong in ("no flow has an end", "No flow of limited size completed"):
                self.assertNotIn(wrong, text)

    def test_pictures(self):
        out, _ = self.run_with(SHARES, "sketch", "-c", "output.series.flows=all")
        done = subprocess.run([sys.executable, str(ROOT / "python/tool.py"), "plot-run", str(out)], capture_output=True,
                              text=True, check=False, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue((out / "flow_rates.png").exists())

    def test_export_and_python(self):
        for flows in ("sketch", "none"):
            out, _ = self.run_with(RANDOM, flows)
            needed = f"needs the list of flows, and this run kept none (output.flows: {flows})"
            done = subprocess.run([DCCVP, "export", "fct", str(out)], capture_output=True, text=True, check=False,
                                  timeout=PATIENCE)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"export fct {needed}", done.stderr)
            with self.assertRaisesRegex(InputError, re.escape(f"Run.flows {needed}")):
                Run(out).flows  # pylint: disable=pointless-statement

    def test_study(self):
        (self.folder / "small.study.yml").write_text(STUDY)
        for link, words in (("{rate: 25Gbps}", "a study needs the list of flows, and this run kept none "
                                               "(output.flows: sketch)"),
                            ("{delay: 1us}", "small.study.yml:1:11: a study compares goodput with topology.link.rate")):
            (self.folder / "small.yaml").write_text(
                f"duration: 1ms\ntopology: {{kind: star, hosts: 3, link: {link}}}\nhost: {{driver: none}}\n"
                "traffic: [{kind: incast, senders: 1..2, receiver: 0}]\n")
            done = subprocess.run([DCCVP, "study", "small.study.yml", "--out", "out", "--no-plots"], cwd=self.folder,
                                  capture_output=True, text=True, check=False, timeout=PATIENCE)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stdout + done.stderr)
            self.assertNotIn("Traceback", done.stderr)


class Refusals(Harness):
    def test_expectations_of_what_is_left_out(self):
        for flows, metric, word in (("sketch", "flows.0.fct_s", "write all"),
                                    ("none", "fct.all.us_p99", "write sketch"),
                                    ("none", "slowdown.all.p99", "write sketch")):
            config = self.folder / "config.yaml"
            config.write_text(ROUNDS.replace("output: {", f"output: {{flows: {flows}, ") +
                              f"expect: [{{metric: {metric}, max: 1}}]\n")
            done = subprocess.run([DCCVP, "check", str(config)], capture_output=True, text=True, check=False,
                                  timeout=PATIENCE)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("config.yaml:8:19: expect.0.metric: ", done.stderr)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
