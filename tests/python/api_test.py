#!/usr/bin/python3
"""Tests the Python interface of the platform in the ways in which an architect uses it.

  api_test.py DCCVP
"""

import os
import pty
import shutil
import subprocess
import sys
import unittest
import warnings
from typing import Any

from package import DCCVP, ROOT, FolderTest, main
import pandas
import yaml
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

    def test_a_dict_is_a_configuration(self):
        """A dict runs like the file with the same contents. File names in a dict are relative to the working
        directory."""
        content = yaml.safe_load(INCAST)
        run = dccvp.run({**content, "seed": 3})
        self.assertEqual(run.metrics["aggregate"], dccvp.run(self.config, {"seed": 3}).metrics["aggregate"])
        self.assertEqual(dccvp.params(content, {"seed": 4}).at["seed", "value"], "4")
        with self.assertRaises(dccvp.InputError) as caught:
            dccvp.run({**content, "topology": {"kind": "strar"}})
        self.assertIn("did you mean 'star'?", str(caught.exception))
        self.assertEqual(caught.exception.place, "-c topology")

    def test_an_error_has_its_place(self):
        self.config.write_text(INCAST.replace("25Gbps", "25Gps"))
        with self.assertRaises(dccvp.InputError) as caught:
            dccvp.run(self.config)
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column), (str(self.config), 2, 47))
        self.assertEqual(error.place, f"{self.config}:2:47")
        plain = dccvp.InputError("nothing to compare")
        self.assertEqual((plain.place, plain.file, plain.line), (None, None, None))

    def test_a_series_that_was_left_out_says_why(self):
        run = dccvp.run(self.config, {"output.series.flows": "none", "duration": "50us"})
        with self.assertRaisesRegex(dccvp.InputError, "no series 'flow_rates': output.series.flows is none"):
            run.series("flow_rates")

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
        self.assertIn("refused", str(told[0].message))  # The platform refuses a kmin above the kmax.
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

    def test_a_sweep_from_dicts(self):
        (self.folder / "c.yaml").write_text(INCAST)
        plan: dict[str, Any] = {
            "grid": {"switch.ecn.kmin": ["5KB", "20KB"]}, "set": {"duration": "20us", "measure": {"from": "5us"}},
            "metrics": {"goodput": "aggregate.goodput_gbps"}, "seeds": "1..2"}
        by_path = dccvp.sweep({"platform": self.folder / "c.yaml", **plan})
        by_dict = dccvp.sweep({"platform": yaml.safe_load(INCAST), **plan})
        self.assertEqual(list(by_path.table["status"]), ["ok"] * 4)
        self.assertEqual(list(by_path.table["goodput"]), list(by_dict.table["goodput"]))
        with self.assertRaises(dccvp.InputError):
            dccvp.sweep({"platform": {"duration": object()}, **plan})
        with self.assertRaises(dccvp.InputError) as refused:
            dccvp.sweep({"platform": {}, **plan, "metrics": {"a": "aggregate.goodput"}})
        self.assertIn("did you mean", str(refused.exception))

    def test_parameters(self):
        defaults, own = dccvp.params(), dccvp.params(self.config, {"switch.ecn.kmin": "9KB"})
        self.assertEqual(own.at["switch.ecn.kmin", "value"], "9KB")
        self.assertEqual(own.at["switch.ecn.kmin", "default"], defaults.at["switch.ecn.kmin", "value"])
        self.assertTrue(own.at["duration", "origin"].endswith("incast.yaml:1:11"))

    def test_comparing(self):
        runs = [dccvp.run(self.config, {"switch.ecn.kmin": kmin, "seed": 1}, self.folder / kmin)
                for kmin in ("5KB", "40KB")]
        frame = dccvp.compare(runs)
        self.assertEqual(list(frame.columns), ["5KB", "40KB"])
        self.assertEqual(list(frame.loc["parameter"].index), ["switch.ecn.kmin"])
        self.assertEqual(frame.at[("metric", "goodput_gbps"), "40KB"],
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

    def test_values_that_no_command_line_can_hold_are_input_errors(self):
        for key, value in (("a", "x\0y"), ("a\0", 1), ("a", "\ud800"), ("a", b"bytes"), ("a", {"b": {1, 2}}),
                           ("a", [object()])):
            with self.subTest(value=ascii(value)), self.assertRaises(dccvp.InputError) as refused:
                program.words_of({key: value})
            self.assertTrue(str(refused.exception).startswith("-c a"), refused.exception)
        with self.assertRaises(dccvp.InputError):
            program.call("check", "no\0file.yaml")

    def test_a_progress_line_is_no_complaint(self):
        self.assertEqual(program.complaint_of("\r1 of 2   \r2 of 2   \r      \rdccvp: broke\n\r1 \r \r"),
                         "broke")

    def test_the_package_by_itself_needs_no_pandas(self):
        done = subprocess.run([sys.executable, "-B", "-c", "import dccvp, sys; print('pandas' in sys.modules)"],
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python")}, text=True,
                              capture_output=True, check=True)
        self.assertEqual(done.stdout, "False\n")


class PackageTest(FolderTest):
    def python(self, text, *, program="python3", **environment):
        done = subprocess.run([program, "-B", "-c", text], env={**os.environ, "DCCVP": str(DCCVP), **environment},
                              text=True, capture_output=True, cwd=self.folder, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_names_are_listed(self):
        self.assertLessEqual(set(dccvp.__all__), set(dir(dccvp)))

    def test_without_pandas_a_sentence_says_what_to_install(self):
        (self.folder / "c.yaml").write_text(INCAST)
        said = self.python("""
import sys
sys.modules["pandas"] = None  # as if it were not installed
import dccvp
run = dccvp.run("c.yaml", {"duration": "20us"})
try:
    run.flows
except ImportError as error:
    print(run.metrics["flow_count"], error)
""", program="/usr/bin/python3", PYTHONPATH=str(ROOT / "python"))
        self.assertTrue(said.startswith("4 frames need pandas"), said)
        self.assertIn("python3-pandas", said)

    def test_pip_installs_it_into_a_virtual_environment(self):
        # pip writes files beside the sources, so it gets a copy.
        shutil.copytree(ROOT / "python", self.folder / "python")
        home = self.folder / "venv"
        for command in (["/usr/bin/python3", "-m", "venv", "--system-site-packages", home],
                        [home / "bin/pip", "install", "--no-index", "--no-build-isolation", "--no-deps", "./python"]):
            done = subprocess.run(list(map(str, command)), cwd=self.folder, capture_output=True, text=True, check=False)
            if "ensurepip is not" in done.stdout or "No module named 'wheel'" in done.stderr:
                self.skipTest("python3-venv, python3-setuptools or python3-wheel is not installed")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        shutil.rmtree(self.folder / "python")
        (self.folder / "c.yaml").write_text(INCAST)
        said = self.python("import dccvp; print(dccvp.__file__, len(dccvp.run({'duration': '20us'}).flows), "
                           "dccvp.run('c.yaml', {'duration': '20us'}).report('r.html'))",
                           program=str(home / "bin/python"), PYTHONPATH="")
        self.assertTrue(said.startswith(str(home)), said)


if __name__ == "__main__":
    os.environ["DCCVP"] = str(DCCVP)
    main()
