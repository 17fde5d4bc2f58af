#!/usr/bin/python3
"""The platform from Python, as an architect uses it.

  api_test.py DCCVP
"""

import os
import pty
import subprocess
import sys
import unittest
import warnings

from package import DCCVP, ROOT, FolderTest, main
import pandas
import dccvp
from dccvp import program

INCAST = """duration: 500us
topology: {kind: star, hosts: 4, link: {rate: 25Gbps}}
host: {driver: none}
traffic:
  - {kind: incast, senders: 1..3, receiver: 0, dscp: 46}
  - {kind: flow, from: 1, to: 2, dscp: 10, bytes: 100KB}
output: {plots: false, series: {interval: 10us, queues: all}}
"""

ON_A_TERMINAL = """import dccvp, sys
run = dccvp.run({config!r}, {{"duration": "30ms"}})
print(run.metrics["sim_time_s"])
try:
    dccvp.run({config!r}, {{"switch.ecn.kmin": "5KM"}})
except dccvp.InputError as error:
    print(error)
"""


class ApiTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.config = self.folder / "incast.yaml"
        self.config.write_text(INCAST)

    def test_a_run(self):
        run = dccvp.run(self.config, {"seed": 3, "switch.ecn.kmax": "400KB", "output.plots": False,
                                      "measure": {"from": "100us", "to": "400us"}})
        self.assertEqual(run.metrics["measure"]["from_s"], 100e-6)
        self.assertEqual(list(run.flows["dscp"]), [46, 46, 46, 10])
        self.assertGreater(run.flows.set_index("dscp").at[10, "fct_s"], 100e3 * 8 / 25e9)
        self.assertTrue(run.flows["fct_s"].isna().any())
        queue = run.series("queue")
        self.assertEqual(list(queue.columns), ["t_s", "port", "bytes"])
        self.assertEqual(queue.groupby("port").size().nunique(), 1)
        self.assertAlmostEqual(queue["t_s"].max(), 500e-6)
        self.assertGreater(queue.set_index("port").loc["s0->h0", "bytes"].max(), 10_000)
        self.assertEqual(run.params().at["switch.ecn.kmax", "value"], "400KB")
        self.assertIn("Gb/s", repr(run))
        report = run.report()
        self.assertIn("<!DOCTYPE html>", report.read_text()[:100])
        self.assertEqual(run.report(self.folder / "r.html").read_text(), report.read_text())
        folder = run.folder
        del run
        self.assertFalse(folder.exists(), "results without a folder go with the run")

    def test_the_same_as_the_program_leaves(self):
        run = dccvp.run(str(self.config), {"seed": 3}, self.folder / "api")
        subprocess.run([DCCVP, "run", self.config, "-c", "seed=3", "--quiet", "--out",
                        self.folder / "plain"], check=True)
        for name in ("flows.csv", "series/queue.csv", "config.effective.yaml"):
            self.assertEqual((run.folder / name).read_bytes(),
                             (self.folder / "plain" / name).read_bytes(), name)
        again = dccvp.Run(self.folder / "api")
        self.assertEqual(again.metrics, run.metrics)

    def test_errors_are_the_programs(self):
        with self.assertRaises(dccvp.InputError) as caught:
            dccvp.run(self.config, {"switch.ecn.kmin": "5KM"})
        said = subprocess.run([DCCVP, "check", self.config, "-c", "switch.ecn.kmin=5KM"],
                              capture_output=True, text=True, check=False).stderr
        self.assertEqual(f"dccvp: {caught.exception}\n", said)
        for wrong in (lambda: dccvp.run("nowhere.yaml"), lambda: dccvp.Run(self.folder),
                      lambda: dccvp.sweep(self.config), lambda: dccvp.Sweep(self.folder),
                      lambda: dccvp.params("nowhere.yaml"), lambda: dccvp.compare([])):
            self.assertRaises(dccvp.InputError, wrong)
        with self.assertRaises(dccvp.InputError) as caught:
            dccvp.run(self.config).series("class es")
        self.assertIn("there are: class, flow_rates, queue", str(caught.exception))
        with self.assertRaises(AttributeError):
            dccvp.nothing

    def test_a_broken_promise_has_its_run(self):
        with self.assertRaises(dccvp.RunError) as caught:
            dccvp.run(self.config, {"expect": [{"metric": "aggregate.drops", "min": 5}]})
        self.assertIn("aggregate.drops", str(caught.exception))
        self.assertEqual(caught.exception.run.metrics["aggregate"]["drops"], 0)

    def test_a_sweep(self):
        (self.folder / "s.yaml").write_text("""platform: incast.yaml
grid: {switch.ecn.kmin: [5KB, 300KB, 50KB], switch.ecn.kmax: [200KB, 1MB]}
metrics: {goodput: aggregate.goodput_gbps, queue: max(queues.*.mean_bytes), slow: slowdown.all.p50}
""")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            sweep = dccvp.sweep(self.folder / "s.yaml", jobs=2, overrides={"duration": "200us"})
        self.assertIn("refused", str(told[0].message))  # kmin above kmax
        table = sweep.table
        self.assertEqual(list(table.columns), ["point", "id", "status", "switch.ecn.kmin",
                                               "switch.ecn.kmax", "goodput", "queue", "slow"])
        self.assertEqual(sorted(table["switch.ecn.kmin"].unique()), [5_000, 50_000, 300_000])
        self.assertTrue(pandas.api.types.is_integer_dtype(table["switch.ecn.kmax"]))
        self.assertTrue(pandas.api.types.is_float_dtype(table["goodput"]))
        self.assertEqual(list(table["status"]).count("ok"), 5)
        self.assertTrue(table.loc[table["status"] == "refused", "goodput"].isna().all())
        self.assertEqual(table.attrs["units"], {"goodput": "Gb/s", "queue": "B", "slow": ""})
        self.assertEqual(sweep.run(1).metrics["aggregate"]["goodput_gbps"], table.at[0, "goodput"])
        self.assertGreater(table.at[0, "slow"], 0)
        self.assertEqual(sweep.run(1).name, "point 1: kmin=5KB kmax=200KB")
        self.assertIn("switch.ecn.kmin", sweep.report().read_text())
        self.assertRaises(dccvp.InputError, sweep.run, 7)

    def test_parameters(self):
        defaults, own = dccvp.params(), dccvp.params(self.config, {"switch.ecn.kmin": "9KB"})
        self.assertEqual(own.at["switch.ecn.kmin", "value"], "9KB")
        self.assertEqual(own.at["switch.ecn.kmin", "default"], defaults.at["switch.ecn.kmin", "value"])
        self.assertTrue(own.at["duration", "origin"].endswith("incast.yaml:1:11"))

    def test_comparing(self):
        runs = [dccvp.run(self.config, {"switch.ecn.kmin": kmin, "seed": 1}, self.folder / kmin)
                for kmin in ("5KB", "60KB")]
        frame = dccvp.compare(runs)
        self.assertEqual(list(frame.columns), ["5KB", "60KB"])
        self.assertEqual(list(frame.loc["parameter"].index), ["switch.ecn.kmin"])
        self.assertEqual(frame.at[("metric", "goodput_gbps"), "60KB"],
                         runs[1].metrics["aggregate"]["goodput_gbps"])
        self.assertEqual(len(dccvp.compare([runs[0], runs[0]]).columns), 2)

    def test_the_progress_line_shows_on_a_terminal(self):
        ours, theirs = pty.openpty()
        done = subprocess.Popen(
            [sys.executable, "-B", "-c", ON_A_TERMINAL.format(config=str(self.config))],
            env={**os.environ, "PYTHONPATH": str(ROOT / "python")}, stderr=theirs,
            stdout=subprocess.PIPE, text=True)
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
        output = done.stdout.read()
        done.stdout.close()
        os.close(ours)
        self.assertEqual(done.wait(), 0, shown)
        self.assertRegex(output, r"\A0\.03\n-c switch.ecn.kmin=5KM: ")
        self.assertIn(b"of 30.00 ms", shown)
        self.assertNotIn(b"5KM", shown, "an error is an exception, not a line on the terminal")


class ProgramTest(unittest.TestCase):
    def test_overrides_as_arguments(self):
        self.assertEqual(program.words_of({"a": 1.5, "b.c": True, "d": [1, "2us"], "e": {"f": False}}),
                         ["-c", "a=1.5", "-c", "b.c=true", "-c", "d=[1, 2us]", "-c", "e={f: false}"])

    def test_a_progress_line_is_no_complaint(self):
        self.assertEqual(program.complaint_of("\r1 of 2   \r2 of 2   \r      \rdccvp: broke\n\r1 \r \r"),
                         "broke")

    def test_the_package_by_itself_needs_no_pandas(self):
        done = subprocess.run([sys.executable, "-B", "-c", "import dccvp, sys; print('pandas' in sys.modules)"],
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python")}, text=True,
                              capture_output=True, check=True)
        self.assertEqual(done.stdout, "False\n")


if __name__ == "__main__":
    os.environ["DCCVP"] = str(DCCVP)
    main()
