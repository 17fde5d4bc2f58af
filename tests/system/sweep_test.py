#!/usr/bin/python3
"""Sweeps: killed and continued, on Snakemake, failing in part, refused; and their arithmetic.

  sweep_test.py BUILD/dccvp
"""

import csv
import fractions
import itertools
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

from harness import PATIENCE, figures

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
TOOL = (ROOT / "python/tool.py", "sweep")
DCCVP = ""

from dccvp.common import quantity, statistics, yaml_nodes  # noqa: E402
from dccvp.experiments import figures as run_figures  # noqa: E402
from dccvp.experiments import folder as folders  # noqa: E402
from dccvp.experiments import identity, results, sweep_plan  # noqa: E402

SETTINGS = "set: {duration: 200us, measure: {from: 0us, to: 200us}, output.series.flows: none}\n"
HEAD = f"platform: {ROOT}/configs/incast_8x25g.yaml\n" + SETTINGS
METRICS = "metrics: {goodput: aggregate.goodput_gbps, queue: max(queues.*.max_bytes)}\n"
# 24 points: 3 x 2 x 2 x 2.
GRID = """grid:
  switch.ecn.kmin: [5KB, 20KB, 100KB]
  switch.ecn.kmax: [200KB, 400KB]
  nic.congestion_control.algorithm: [dcqcn, dcc]
seeds: 1..2
"""
# dccvp, but while there is a file `hold`, runs that begin after nine markers are there have no end.
HOLDING = """\
#!/bin/sh
cd "{folder}"
if [ "$1" = run ] && [ -e hold ] && [ "$(ls killed/done | wc -l)" -ge 9 ]; then
  exec "{dccvp}" "$@" -c duration=1000s -c output.series.interval=1s \\
    -c "output.trace={{perfetto: true, to: 1us}}"
fi
exec "{dccvp}" "$@"
"""
VIEWS = """best: {goodput: max, queue: min}
heatmaps: [{metric: queue, x: switch.ecn.kmin, y: switch.ecn.kmax,
            by: nic.congestion_control.algorithm}]
pareto: [{x: queue, y: goodput}]
"""


class Sweeps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-sweep-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text, name="s.yaml"):
        (self.folder / name).write_text(text)
        return name

    def sweep(self, *arguments, code=0, program=()):
        done = subprocess.run([*(program or (DCCVP, "sweep")), *arguments], cwd=self.folder,
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def table(self, out):
        with open(self.folder / out / "table.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


class Branches(Sweeps):
    """Points that branch at `branch_at` leave the same results as runs with a change at that time."""

    SWEEP = HEAD + "branch_at: 100us\n" + """metrics: {marks: aggregate.ecn_marks}
grid:
  switch.ecn.kmax: [200KB, 8MB]
  nic.congestion_control.r_ai: [5Mbps, 1Gbps]
seeds: 1..2
"""

    def same_but_for_the_clock(self, one, other):
        for file in sorted(f.relative_to(one) for f in one.rglob("*") if f.is_file()):
            if file.name == "metrics.json":
                self.assertEqual(figures(one), figures(other))
            else:
                self.assertEqual((one / file).read_bytes(), (other / file).read_bytes(), file)

    def test_every_point_is_the_run_with_the_change(self):
        self.write(self.SWEEP)
        self.sweep("s.yaml", "-j", "2", "--out", "b")
        rows = self.table("b")
        self.assertEqual(len(rows), 8)
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertGreater(len({row["marks"] for row in rows}), 1, "the changes do something")
        document = json.loads((self.folder / "b/plan.json").read_text())
        for number in (0, 3, 6):
            point = document["points"][number]
            words = [word for argument in point["arguments"] for word in ("-c", argument)]
            self.sweep("run", document["platform"], *words, "--out", f"p{number}", "--quiet",
                       "--no-plots", program=(DCCVP,))
            self.same_but_for_the_clock(self.folder / f"p{number}",
                                        self.folder / "b/points" / point["id"])

    def test_a_point_that_is_missing_is_run_by_itself(self):
        self.write(self.SWEEP)
        self.sweep("s.yaml", "--out", "b")
        before = (self.folder / "b/table.csv").read_bytes()
        point = self.table("b")[5]["id"]
        shutil.rmtree(self.folder / "b/points" / point)
        (self.folder / "b/done" / f"{point}.json").unlink()
        self.sweep("s.yaml", "--out", "b")
        self.assertEqual((self.folder / "b/table.csv").read_bytes(), before)

    def test_a_run_that_ends_before_is_every_point(self):
        self.write("platform: small.yaml\nbranch_at: 1900us\n" + METRICS +
                   "set: {switch.ecn.kmax: 200KB}\ngrid: {switch.ecn.kmin: [5KB, 150KB]}\n")
        self.write("duration: 2ms\ntopology: {kind: star, hosts: 2}\nhost: {driver: none}\n"
                   "traffic: [{kind: flow, from: 1, to: 0, bytes: 1KB}]\n", "small.yaml")
        self.sweep("s.yaml", "--out", "b")
        self.assertEqual([row["status"] for row in self.table("b")], ["ok", "ok"])

    def test_what_cannot_be_is_refused_where_it_stands(self):
        for line, said in (("branch_at: 100\n", "'100' is no time"),
                           ("branch_at: 10ms\n", "10ms is not before the end of the run")):
            self.write(HEAD + line + METRICS + "grid: {switch.ecn.kmin: [5KB, 150KB]}\n")
            self.assertIn(said, self.sweep("s.yaml", code=2).stderr)
        self.write(HEAD + "branch_at: 100us\n" + METRICS + "grid: {switch.buffer: [1MB, 2MB]}\n")
        said = self.sweep("s.yaml", code=2).stderr
        self.assertIn("s.yaml:5:24: switch.buffer cannot change during a run", said)
        self.write("[{out: b, set: {switch.ecn.kmin: 5KB}}]", "branches.yaml")
        for override, said in (("output.trace.perfetto=true", "output.trace: branches share"),
                               ("host={driver: native, ram: 4MiB}", "")):
            done = self.sweep("branch", f"{ROOT}/configs/incast_8x25g.yaml", "branches.yaml", "--at",
                              "10us", "-c", "duration=100us", "-c", "measure={from: 0us, to: 100us}", "-c",
                              override, code=2 if said else 0, program=(DCCVP,))
            self.assertIn(said, done.stderr)

    def test_branches_have_a_folder_each(self):
        self.write("[{out: b, set: {switch.ecn.kmin: 5KB}}, {out: c, set: {switch.ecn.kmin: 6KB}},\n"
                   " {out: ./c/, set: {switch.ecn.kmin: 7KB}}]", "branches.yaml")
        before = sorted(self.folder.iterdir())
        done = self.sweep("branch", f"{ROOT}/configs/incast_8x25g.yaml", "branches.yaml", "--at", "10us",
                          code=2, program=(DCCVP,))
        self.assertIn("branches.yaml:2:8: out: the branch at branches.yaml:1:47 leaves its results in "
                      "'./c/' already", done.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), before)


class Continued(Sweeps):
    def markers(self, out):
        return {p.name: p.stat().st_mtime_ns for p in (self.folder / out / "done").glob("*.json")}

    def test_a_kill_half_way_costs_only_what_was_under_way(self):
        name = self.write(HEAD + GRID + METRICS + VIEWS)
        holding = self.folder / "holding"
        holding.write_text(HOLDING.format(folder=self.folder, dccvp=DCCVP))
        holding.chmod(0o755)
        program = (*TOOL, holding)
        self.sweep(name, "-j", "2", "--out", "whole", program=program)
        self.assertEqual(len(self.table("whole")), 24)

        (self.folder / "hold").touch()
        process = subprocess.Popen([*program, name, "-j", "2", "--out", "killed"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL)
        while len(traces := list(self.folder.glob("killed/points/.*.tmp-*/trace"))) < 2:
            self.assertIsNone(process.poll(), "ended by itself")
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for trace in traces:  # the points under way die with it
            while folders.alive(trace.parent.name.split(".tmp-")[1]):
                time.sleep(0.02)
        (self.folder / "hold").unlink()
        before = self.markers("killed")
        self.assertIn(len(before), (9, 10))
        self.assertFalse((self.folder / "killed/table.csv").exists())

        self.sweep(name, "-j", "2", "--out", "killed", program=program)
        after = self.markers("killed")
        self.assertEqual(len(after), 24)
        self.assertEqual({n: after[n] for n in before}, before, "a finished point was run again")
        self.assertEqual((self.folder / "killed/table.csv").read_bytes(),
                         (self.folder / "whole/table.csv").read_bytes())
        self.assertEqual([p for p in (self.folder / "killed").rglob(".*")], [], "left half done")

        self.sweep(name, "-j", "2", "--out", "killed", program=program)
        self.assertEqual(self.markers("killed"), after, "nothing was missing")
        # A sweep that grows keeps what it has.
        self.write(HEAD + GRID.replace("1..2", "1..3") + METRICS + VIEWS)
        self.sweep(name, "-j", "2", "--out", "killed", "--no-plots", program=program)
        grown = self.markers("killed")
        self.assertEqual(len(grown), 36)
        self.assertEqual({n: grown[n] for n in after}, after)

    def test_what_was_cut_short_or_taken_away_is_run_again(self):
        name = self.write(HEAD + METRICS + "seeds: 1..3\n")
        self.sweep(name, "--out", "o")
        whole, markers = self.table("o"), sorted((self.folder / "o/done").glob("*.json"))
        markers[0].write_text('{"status": "o')
        shutil.rmtree(self.folder / "o/points" / markers[1].stem)
        before = self.markers("o")
        self.sweep(name, "--out", "o")
        self.assertEqual(self.table("o"), whole)
        after = self.markers("o")
        self.assertEqual([before[m.name] != after[m.name] for m in markers], [True, True, False])
        (self.folder / "o/plan.json").write_text("{}")
        for arguments in (("--collect", "o"), ("--collect", "none"), ("--point", "o", "x")):
            done = self.sweep(*arguments, code=2, program=TOOL)
            self.assertRegex(done.stderr, r"\Adccvp: '\w+' is no sweep's folder: .+\n\Z")

    def test_altered_and_swapped_results_are_detected(self):
        name = self.write(HEAD + METRICS + "seeds: 1..3\n")
        self.sweep(name, "--out", "o")
        whole, points = self.table("o"), [self.folder / "o/points" / row["id"] for row in self.table("o")]
        metrics = points[0] / "metrics.json"
        metrics.write_text(metrics.read_text().replace("goodput_gbps", "goodput_mbps"))
        done = self.sweep("--collect", "o", code=2, program=TOOL)
        self.assertRegex(done.stderr, r"\Adccvp: '.+' do not belong together: .+; run the sweep again\n\Z")
        points[1].rename(self.folder / "o/points/x")
        points[2].rename(points[1])
        (self.folder / "o/points/x").rename(points[2])
        done = self.sweep(name, "--out", "o")
        self.assertEqual(done.stderr.count("its results were changed after the run; it is run again"), 3)
        self.assertEqual(self.table("o"), whole)
        first, second = (self.folder / f"o/done/{point.name}.json" for point in points[:2])
        first.write_bytes(second.read_bytes())
        self.assertIn("point 1: its results were changed", self.sweep(name, "--out", "o").stderr)

    def test_a_folder_of_an_earlier_release_can_be_read(self):
        name = self.write(HEAD + METRICS + "seeds: 1..2\n")
        self.sweep(name, "--out", "o")
        whole = (self.folder / "o/table.csv").read_bytes()
        document = json.loads((self.folder / "o/plan.json").read_text())
        (self.folder / "o/plan.json").unlink()
        del document["limits"]
        (self.folder / "o/sweep.json").write_text(json.dumps(document))
        for marker in (self.folder / "o/done").iterdir():
            marker.write_text('{"status": "ok", "message": ""}')
        (self.folder / "o/table.csv").unlink()
        self.sweep("--collect", "o", program=TOOL)
        self.assertEqual((self.folder / "o/table.csv").read_bytes(), whole)
        self.sweep(name, "--out", "o")
        self.assertFalse((self.folder / "o/sweep.json").exists())
        self.assertEqual((self.folder / "o/table.csv").read_bytes(), whole)

    def test_a_second_command_in_the_same_folder_is_refused(self):
        name = self.write(HEAD + METRICS + "seeds: 1..2\n")
        (self.folder / "o").mkdir()
        with folders.Folder(self.folder / "o", {}).locked():
            done = self.sweep(name, "--out", "o", code=2)
        self.assertEqual(done.stderr, f"dccvp: 'o' is in use by another dccvp (process {os.getpid()}): wait for its "
                                      "end, or name another folder with --out\n")
        self.sweep(name, "--out", "o")

    def test_files_that_a_platform_names_belong_to_a_point(self):
        """A point's identity includes extended files, traces and firmware, but not comments and the order of keys."""
        self.write("topology: {kind: star, hosts: 3}\nhost: {driver: none}\n", "base.yaml")
        platform = ("extends: base.yaml\nduration: 100us\nmeasure: {to: 100us, from: 0us}\n"
                    "traffic: [{kind: trace, file: t.csv, format: csv}]\n")
        self.write(platform, "p.yaml")
        self.write("a trace", "t.csv")
        self.write("firmware", "a.elf")

        def names(*overrides):
            inputs = identity.Inputs(DCCVP)
            return [inputs.name(self.folder / "p.yaml", words, self.folder) for words in ([], *overrides)]

        first, elf = names(["host.elf=a.elf"])
        self.assertNotEqual(first, elf)
        self.write("# why\n" + platform.replace("{to: 100us, from: 0us}", "{from: 0us, to: 100us}"), "p.yaml")
        self.assertEqual(names(["host.elf=a.elf"]), [first, elf])
        seen = {first}
        for file, text in (("base.yaml", "topology: {kind: star, hosts: 4}\nhost: {driver: none}\n"),
                           ("t.csv", "another trace"), ("p.yaml", platform.replace("100us", "90us"))):
            self.write(text, file)
            self.assertNotIn(names()[0], seen, file)
            seen.add(names()[0])
        before = names(["host.elf=a.elf"])
        self.write("other firmware", "a.elf")
        after = names(["host.elf=a.elf"])
        self.assertEqual((before[0], before[1] == after[1]), (after[0], False))

    def test_a_changed_base_runs_the_points_again(self):
        base = (ROOT / "configs/incast_8x25g.yaml").read_text()
        self.write(base, "base.yaml")
        self.write("extends: base.yaml\n", "p.yaml")
        name = self.write("platform: p.yaml\n" + SETTINGS + METRICS + "seeds: 1..2\n")
        self.sweep(name, "--out", "o")
        before = self.table("o")
        self.write(base.replace("25Gbps", "10Gbps"), "base.yaml")
        self.sweep(name, "--out", "o")
        self.assertLess(float(self.table("o")[0]["goodput"]), 0.5 * float(before[0]["goodput"]))

    def test_snakemake_makes_the_same_table(self):
        name = self.write(HEAD + GRID + METRICS)
        self.sweep(name, "-j", "2", "--out", "here")
        self.sweep(name, "--snakemake", "flow")
        self.assertFalse((self.folder / "flow/done").exists(), "only the workflow is written")
        environment = {**os.environ, "HOME": str(self.folder)}
        done = subprocess.run(["snakemake", "-j2", "--quiet"], cwd=self.folder / "flow",
                              capture_output=True, text=True, timeout=PATIENCE,
                              check=False, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        for file in ("table.csv", "results.sqlite"):
            self.assertEqual((self.folder / "flow" / file).read_bytes(),
                             (self.folder / "here" / file).read_bytes(), file)


class Results(Sweeps):
    def test_failures_are_listed_and_the_others_done(self):
        # kmin above kmax cannot be; any mark breaks the expectation.
        name = self.write(HEAD.replace("set: {", "set: {expect: [{metric: aggregate.ecn_marks, max: "
                                       "0}], ") + """
grid:
  switch.ecn.kmin: [5KB, 300KB]
  switch.ecn.kmax: [200KB, 400KB]
  switch.ecn.enabled: [false, true]
""" + METRICS)
        done = self.sweep(name, "--out", "o", code=1)
        rows = self.table("o")
        self.assertEqual([r["status"] for r in rows],
                         ["ok", "failed", "ok", "failed", "refused", "refused", "ok", "failed"])
        self.assertIn("point 2 failed: switch.ecn.kmin=5KB switch.ecn.kmax=200KB switch.ecn.enabled=true: "
                      "FAILED: expectation: aggregate.ecn_marks", done.stderr)
        self.assertIn("point 5 refused: ", done.stderr)
        self.assertEqual(sum(line.startswith("point ") for line in done.stderr.splitlines()), 5)
        self.assertIn("3 of 8 points ok", done.stdout)
        for row in rows:
            self.assertEqual(row["goodput"] != "", row["status"] == "ok")

    def test_tables_and_pictures_say_what_the_runs_say(self):
        name = self.write(HEAD + GRID.replace("1..2", "1..1") + METRICS.replace(
            "}", ", marks: aggregate.ecn_marks, port: 'queues[port=s0->h0].max_bytes', "
            "slots: hosts.1.slots_in_use_max}") + VIEWS)
        done = self.sweep(name, "--out", "o", "-c", "traffic.0.dscp=12")
        rows = self.table("o")
        self.assertEqual(len(rows), 12)
        best = max(rows, key=lambda r: float(r["goodput"]))
        self.assertIn(f"| max goodput | {best['point']} |", done.stdout)
        for row in rows:
            out = self.folder / "o/points" / row["id"]
            metrics = json.loads((out / "metrics.json").read_text())
            self.assertEqual(float(row["goodput"]), metrics["aggregate"]["goodput_gbps"])
            self.assertEqual(int(row["marks"]), metrics["aggregate"]["ecn_marks"])
            self.assertEqual(int(row["queue"]), max(q["max_bytes"] for q in metrics["queues"]))
            self.assertEqual(row["port"], row["queue"])
            self.assertEqual(metrics["classes"][0]["dscp"], 12)
            self.assertIn(f"kmin: {row['switch.ecn.kmin']}",
                          (out / "config.effective.yaml").read_text())
        base = sqlite3.connect(self.folder / "o/results.sqlite")
        self.assertEqual(base.execute("SELECT point, id, goodput FROM results").fetchall(),
                         [(int(r["point"]), r["id"], float(r["goodput"])) for r in rows])
        self.assertEqual(base.execute("SELECT DISTINCT number FROM parameters WHERE "
                                      "name = 'switch.ecn.kmin' ORDER BY 1").fetchall(),
                         [(5000.0,), (20000.0,), (100000.0,)])
        pictures = sorted(p.name for p in (self.folder / "o").glob("*.png"))
        self.assertEqual(pictures, ["heatmap_queue_switch-ecn-kmin_switch-ecn-kmax.png",
                                    "pareto_queue_goodput.png"])

    def test_over_seeds_there_are_intervals_ties_and_limits(self):
        """Eight slots are enough for eight flows, so the two numbers of slots give the same figures."""
        name = self.write(HEAD + METRICS + """grid: {nic.controller.slots: [8, 1024], switch.ecn.kmin: [5KB, 100KB]}
seeds: 1..3
best: {queue: min}
limits: [{metric: goodput, at_least: 1}, {metric: queue, at_most: 1, reason: a queue there must be}]
""")
        done = self.sweep(name, "--out", "o")
        self.assertIn("the limit is <= 1 (a queue there must be)", done.stderr)
        best = (self.folder / "o/best.md").read_text().splitlines()
        self.assertIn("tied with", best[0])
        with open(self.folder / "o/means.csv", newline="", encoding="utf-8") as file:
            means = list(csv.DictReader(file))
        self.assertEqual([row["runs"] for row in means], ["3"] * 4)
        rows = self.table("o")
        queues = [float(row["queue"]) for row in rows[:3]]
        self.assertAlmostEqual(float(means[0]["queue"]), sum(queues) / 3)
        self.assertEqual(means[0]["queue ±"] != "0.0", len(set(queues)) > 1)
        self.write((self.folder / name).read_text().replace("at_least: 1}", "at_least: 1000}"))
        done = self.sweep(name, "--out", "o", code=1)
        self.assertIn("point 1: goodput is ", done.stderr)

    def test_a_figure_that_only_some_platforms_have(self):
        """slowdown.all is empty without finite flows, and in a run of a microsecond always."""
        name = self.write(HEAD + """grid: {nic.controller.slots: [8, 1024, 64]}
metrics: {slow: slowdown.all.p99, queue: 'queues[port=s0->h0].max_bytes', jain: aggregate.jain}
""")
        self.sweep(name, "--out", "o")
        with open(self.folder / "o/table.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["slow"] for row in rows], ["", "", ""])
        self.assertTrue(all(float(row["queue"]) > 0 for row in rows))
        base = sqlite3.connect(self.folder / "o/results.sqlite")
        self.assertEqual(base.execute('SELECT "nic.controller.slots" AS slots FROM results WHERE slots '
                                      "> 8 ORDER BY slots").fetchall(), [(64,), (1024,)])
        types = {row[1]: row[2] for row in base.execute("PRAGMA table_info(results)")}
        self.assertEqual((types["nic.controller.slots"], types["jain"]), ("INTEGER", "REAL"))
        self.assertEqual(base.execute("SELECT text, number FROM parameters WHERE point = 2").fetchall(),
                         [("1024", 1024.0)])

    def test_a_figure_that_no_point_has(self):
        name = self.write(HEAD + """seeds: 1..2
metrics: {queue: queues.99.max_bytes, port: 'queues[port=s9].max_bytes', jain: aggregate.jain}
""")
        done = self.sweep(name, "--out", "o", code=1)
        self.assertEqual(done.stderr, """metric queue: no point has it: a list of 9 has no index 99
metric port: no point has it: no element with port=s9
""")
        self.assertIn("2 of 2 points ok", done.stdout)

    def test_shipped_sweeps_are_accepted(self):
        for file in sorted((ROOT / "configs/sweeps").glob("*.yaml")):
            with self.subTest(file=file.name):
                self.sweep(str(file), "-j", "2", "--snakemake", f"flow-{file.stem}")


class Refused(Sweeps):
    CASES = (
        (HEAD + METRICS + "grid: {switch.ecn.kmim: [5KB]}\n", "4:8: ", "unknown key 'kmim'", "'kmin'"),
        (HEAD + METRICS + "grid: {switch.ecn.kmin: []}\n", "4:25: ", "'switch.ecn.kmin' is empty"),
        (HEAD + METRICS + "grid: {switch.ecn.kmin: [5KB, 5000B]}\n", "4:31: ", "5000B twice"),
        (HEAD + METRICS + "list: [{seed: 1}, {seed: 2}, {seed: 1}]\n", "4:30: ", "listed twice"),
        (HEAD + METRICS + "grid: {seed: [1, 2]}\nseeds: 1..3\n", "", "'seed' varies twice"),
        (HEAD + METRICS + "grid: {switch.ecn.kmin: [5KB, 5MS]}\n", "4:31: ", "unknown unit 'MS'"),
        (HEAD + METRICS + "grid: {traffic.3.dscp: [5]}\n", "4:8: ", "so no index 3"),
        (HEAD + METRICS + "seeds: 3..1\n", "4:8: ", "1..20"),
        (HEAD + METRICS + "seeds: 1..2\nheatmap: []\n", "5:1: ", "did you mean 'heatmaps'?"),
        (HEAD + METRICS, "1:1: ", "nothing varies"),
        (HEAD + "seeds: 1..2\nmetrics: {g: aggregate.goodput}\n", "4:14: ", "unknown metric",
         "did you mean 'goodput_gbps'?"),
        (HEAD + "seeds: 1..2\nmetrics: {g: queues.max_bytes}\n", "4:14: ", "no index into a list"),
        (HEAD + "seeds: 1..2\nmetrics: {g: 'queues[prt=s].max_bytes'}\n", "4:14: ", "no 'prt'"),
        (HEAD + "seeds: 1..2\nmetrics: {g: queues.0}\n", "4:14: ", "is a map"),
        (HEAD + "seeds: 1..2\nmetrics: {g: aggregate}\n", "4:14: ", "is a map"),
        (HEAD + "seeds: 1..2\nmetrics: {g: median(flows.*.fct_s)}\n", "4:14: ", "'median'"),
        (HEAD + "seeds: 1..2\nmetrics: {g: 'slowdown.bins[up_to_bytes=10KB].p99'}\n", "4:14: ",
         "up_to_bytes is a number in B; write [up_to_bytes=10000]"),
        (HEAD + METRICS + "seeds: 1..2\nlimits: [{metric: queu, at_most: 1}]\n", "5:19: ", "did you mean 'queue'?"),
        (HEAD + METRICS + "seeds: 1..2\nlimits: [{metric: queue}]\n", "5:10: ", "a limit without"),
        (HEAD + METRICS + "seeds: 1..2\nbest: {queu: min}\n", "5:8: ", "did you mean 'queue'?"),
        (HEAD + METRICS + "seeds: 1..2\nheatmaps: [{metric: queue, x: seed, y: seed}]\n", "5:31: ",
         "unknown parameter 'seed'"),
        (HEAD + METRICS + "seeds: 1..2\npareto: [{x: queue, y: goodput}]\n", "5:14: ", "which way"),
        (HEAD + METRICS + "sample: {points: 3, axes: {switch.ecn.kmin: {from: 9KB, to: 5KB}}}\n",
         "4:61: ", "'to' is not above"),
        (HEAD + METRICS + "sample: {points: 0, axes: {seed: {from: 1, to: 9}}}\n", "4:18: ", "'points'"),
        (HEAD + METRICS + "sample: {points: 2, method: sobol, axes: {seed: {from: 1, to: 9}}}\n",
         "4:29: ", "latin_hypercube"),
        (HEAD.replace("incast_8x25g", "none") + METRICS + "seeds: 1..2\n", "1:11: ", "no such file"),
        (HEAD.replace("200us", "2parsec", 1) + METRICS + "seeds: 1..2\n", "2:17: ", "'parsec'"),
        (HEAD + METRICS + "seeds: 1..2\nset: {}\n", "5:1: ", "'set' is there twice"),
        (HEAD + METRICS + "seeds: [1\n", "5:1: ", "not valid YAML"),
        ("&a [*a]\n", "", "contains itself"),
        ("", "1:1: ", "empty"),
        ("\xff", "", ""),
    )

    def test_each_with_its_place_and_nothing_written(self):
        for text, place, *words in self.CASES:
            with self.subTest(text=text):
                name = self.write(text)
                done = self.sweep(name, "--out", "o", code=2)
                self.assertTrue(done.stderr.startswith(f"dccvp: s.yaml:{place}"), done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertEqual([p.name for p in self.folder.iterdir()], ["s.yaml"])

    def test_arguments_and_folders(self):
        name = self.write(HEAD + METRICS + "seeds: 1..2\n")
        for arguments in ((), ("none.yaml",), (name, "-j", "0"), (name, "--bogus"),
                          (name, "-c", "switch.ecn.kmim=5KB"), (name, "--out", "/proc/x"),
                          (name, "--out", f"{name}/x"), (name, "--snakemake", "/proc/x")):
            self.assertRegex(self.sweep(*arguments, code=2).stderr, r"\Adccvp: .+\n\Z", arguments)
        (self.folder / "mine").mkdir()
        (self.folder / "mine/letter.txt").write_text("keep me")
        self.assertIn("something else", self.sweep(name, "--out", "mine", code=2).stderr)
        self.assertEqual(sorted(p.name for p in self.folder.rglob("*")), ["letter.txt", "mine", "s.yaml"])


class Arithmetic(Sweeps):
    """The plan and the table, without runs."""

    def plan(self, text):
        return sweep_plan.read(self.folder / self.write(HEAD + METRICS + text))

    def test_a_latin_hypercube_visits_every_part_of_every_axis_once(self):
        text = """sample: {{points: 40, method: {}, seed: {}, axes: {{
            switch.ecn.kmin: {{from: 10KB, to: 90KB}},
            switch.ecn.pmax: {{from: 0.01, to: 1, scale: log}},
            nic.controller.slots: [64, 128, 256, 512]}}}}\n"""
        plan = self.plan(text.format("latin_hypercube", 1))
        values = {axis: [next(s.text for s in p if s.key == axis) for p in plan.points]
                  for axis in plan.axes}
        self.assertEqual(len(plan.points), 40)
        kmin = sorted(quantity.number(v) for v in values["switch.ecn.kmin"])
        for i, value in enumerate(kmin):
            self.assertLessEqual(abs(value - (10_000 + 2000 * (i + 0.5))), 1005)  # four digits
        for size in ("64", "128", "256", "512"):
            self.assertEqual(values["nic.controller.slots"].count(size), 10)
        pmax = sorted(float(v) for v in values["switch.ecn.pmax"])
        self.assertEqual(sum(v < 0.1 for v in pmax), 20)  # as many in either decade
        again = self.plan(text.format("latin_hypercube", 1))

        def texts(plan):
            return [[s.argument for s in point] for point in plan.points]

        self.assertEqual(texts(plan), texts(again))
        self.assertNotEqual(texts(plan), texts(self.plan(text.format("latin_hypercube", 2))))
        random = self.plan(text.format("random", 1))
        self.assertTrue(all(10_000 <= quantity.number(p[0].text) <= 90_000
                            for p in random.points))
        self.assertNotEqual(texts(plan), texts(random))

    def test_factors_multiply(self):
        plan = self.plan("""grid: {switch.ecn.kmin: {from: 5KB, to: 20KB, steps: 4},
  nic.controller.split: [[5, 5, 6], [4, 6, 6]]}
list: [{switch.ecn.kmax: 200KB, switch.ecn.pmax: 0.01}, {switch.ecn.kmax: 400KB}]
seeds: 4..6\n""")
        expected = [f"{kmin},{split},{kmax},{seed}" for kmin, split, kmax, seed in itertools.product(
            ("5000B", "10000B", "15000B", "20000B"), ("[5, 5, 6]", "[4, 6, 6]"),
            ("200KB,0.01", "400KB"), ("4", "5", "6"))]
        self.assertEqual([",".join(s.text for s in point) for point in plan.points], expected)

    def test_quantities(self):
        for text, value in (("55us", 55e-6), ("1.5KB", 1500), ("4KiB", 4096), ("25Gbps", 25e9),
                            ("1/256", 1 / 256), ("1.5%", 0.015), ("7", 7), ("dcc", None),
                            ("[5, 5, 6]", None), ("1/0", None), ("5 KB", None), ("5kb", None),
                            ("3ps", 3e-12), ("3ns", 3e-9), ("3ms", 3e-3), ("3s", 3),
                            ("3bps", 3), ("3kbps", 3e3), ("3Mbps", 3e6), ("3Tbps", 3e12),
                            ("3B", 3), ("3MB", 3e6), ("3GB", 3e9), ("3MiB", 3145728),
                            ("3GiB", 3221225472), ("3Hz", 3), ("3kHz", 3e3), ("3MHz", 3e6),
                            ("3GHz", 3e9)):
            self.assertEqual(quantity.number(text), value, text)

    def test_values_of_a_range_have_four_digits(self):
        for value, kind, whole, text in (
                (1234567, "size", False, "1235000B"), (7.6, "time", False, "8ps"),
                (12345.6, "", False, "12350"), (1234.5, "", False, "1234"), (12.3456, "", False, "12.35"),
                (1, "", False, "1"), (0.5, "", False, "0.5"), (0.0123456, "", False, "0.0123"),
                (7.6, "", True, "8"), (123456, "", True, "123500")):
            self.assertEqual(quantity.show(fractions.Fraction(value), kind, whole), text)

    def test_a_description_has_the_paths_of_figures(self):
        rows = [{"path": p, "unit": u} for p, u in (
            ("completed", ""), ("sum.drops", "packets"), ("queues.N.port", ""), ("queues.N.max", "bytes"),
            ("hosts.N.wheel.N.lag", "ticks"))]
        description = run_figures.described(rows)
        for path, unit in (("completed", ""), ("sum.drops", "packets"), ("queues.7.max", "bytes"),
                           ("queues[port=s0->h0].max", "bytes"), ("max(queues.*.max)", "bytes"),
                           ("count(queues.*.max)", ""), ("mean(hosts.3.wheel.*.lag)", "ticks")):
            self.assertEqual(run_figures.Metric(path, None).unit(description), unit, path)
        for path in ("sum", "sum.drop", "queues", "queues.0", "queues.max", "queues[prt=x].max",
                     "hosts.0.wheel.lag", "completed.x", "max(completed.*)", "max(sum.*.drops)"):
            with self.assertRaises(run_figures.Missing, msg=path):
                run_figures.Metric(path, None).unit(description)

    def test_axes_that_are_numbers_are_compared_as_numbers(self):
        cases: tuple[tuple[list, list], ...] = (
            (["8", "1024"], [8, 1024]), (["1/256", "1.5"], [1 / 256, 1.5]),
            (["5KB", "1MiB", ""], [5000, 1048576, None]), (["55us", "1ms"], [55e-6, 1e-3]),
            (["true", "false"], [True, False]), (["dcc", "8"], ["dcc", "8"]),
            (["4/5/7", "8/4/4"], ["4/5/7", "8/4/4"]), (["8", ""], [8, None]))
        for texts, values in cases:
            self.assertEqual(results.typed(texts), values)
            self.assertEqual([type(v) for v in results.typed(texts)], [type(v) for v in values])

    def test_metrics(self):
        tree = {"a": {"b": 1.5, "list": [{"n": "x", "v": 3}, {"n": "y.z", "v": 5}], "none": None}}
        for path, value in (("a.b", 1.5), ("a.list.1.v", 5), ("a.list[n=y.z].v", 5), ("a.none", None),
                            ("max(a.list.*.v)", 5), ("mean(a.list.*.v)", 4), ("sum(a.list.*.v)", 8),
                            ("count(a.list.*.n)", 0), ("min(a.list.*.v)", 3)):
            self.assertEqual(run_figures.Metric(path, None).value(tree), value, path)
        for path in ("a.c", "a.list.2.v", "a.list[n=q].v", "a.b.c", "a", "a.list"):
            with self.assertRaises(run_figures.Missing, msg=path):
                run_figures.Metric(path, None).value(tree)
        for path in ("", "a..b", "a.", "max(a.b)", "a.list.*.v", "a b"):
            with self.assertRaises(yaml_nodes.InputError, msg=path):
                run_figures.Metric(path, "here")

    def test_what_the_seeds_cannot_tell_apart_is_tied(self):
        def line(point, values):
            return {"point": point, "g": sum(values) / len(values), "seeds": {"g": dict(enumerate(values))},
                    "half": {"g": statistics.confidence(values)}}

        folder = folders.Folder(self.folder, {"best": {"g": "max"}, "axes": []})
        lines = [line(1, [10.0, 11.0, 12.0]), line(2, [10.1, 10.9, 12.1]), line(3, [9.0, 10.0, 11.0]),
                 line(4, [5.0] * 3)]
        (title, pick, ties), = results.best_lines(folder, lines)
        self.assertEqual((title, pick["point"], [tied["point"] for tied in ties]), ("max g", 2, [1]))
        self.assertIn("| max g | 2 | 11.0 ± 2.5 | 1 |", results.best_text(folder, lines))

    def test_pareto_is_what_no_other_beats(self):
        points = [{"x": x, "y": y} for x, y in ((1, 1), (2, 3), (2, 2), (3, 3), (4, 5), (4, 4), (5, 5))]
        front = results.pareto(points, {"x": "min", "y": "max"})
        self.assertEqual([(p["x"], p["y"]) for p in front], [(1, 1), (2, 3), (4, 5)])


if __name__ == "__main__":
    DCCVP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
