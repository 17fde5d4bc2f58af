#!/usr/bin/python3
"""Tests sweeps: branches, partial failure, refused sweeps, and the contents of tables and pictures.

  sweep_test.py BUILD/dccvp [--full]
"""

import csv
import json
import shutil
import sqlite3
import sys

import yaml

import sweeps
from harness import figures
from sweeps import GRID, HEAD, METRICS, ROOT, VIEWS, Sweeps

FULL = "--full" in sys.argv
if FULL:
    sys.argv.remove("--full")


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
                       "--no-plots", program=(sweeps.DCCVP,))
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
                              override, code=2 if said else 0, program=(sweeps.DCCVP,))
            self.assertIn(said, done.stderr)

    def test_a_word_for_an_axis_is_told_where_the_values_are(self):
        self.write(HEAD + METRICS + "grid: {nic.congestion_control.algorithm: all}\n")
        self.assertIn("s.yaml:4:42: axis 'nic.congestion_control.algorithm' is a list, not 'all': write [value, …]; "
                      "`dccvp params --match nic.congestion_control.algorithm` has the values",
                      self.sweep("s.yaml", code=2).stderr)

    def test_an_override_of_what_varies_is_refused(self):
        """An override of a parameter that the sweep varies must be refused. If it fixed the seed, for example, all runs
        would be equal, and the confidence interval would have no width."""
        self.write(HEAD + METRICS + GRID)
        for override, said in (
                ("seed=1", "-c seed=1: 'seed' varies in this sweep; change 'seeds' in the sweep file"),
                ("switch.ecn.kmin=5KB", "change the axis 'switch.ecn.kmin' in the sweep file"),
                ("nic.congestion_control={algorithm: dcc}", "'nic.congestion_control.algorithm' varies")):
            self.assertIn(said, self.sweep("s.yaml", "-c", override, code=2).stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["s.yaml"])

    def test_branches_have_a_folder_each(self):
        self.write("[{out: b, set: {switch.ecn.kmin: 5KB}}, {out: c, set: {switch.ecn.kmin: 6KB}},\n"
                   " {out: ./c/, set: {switch.ecn.kmin: 7KB}}]", "branches.yaml")
        before = sorted(self.folder.iterdir())
        done = self.sweep("branch", f"{ROOT}/configs/incast_8x25g.yaml", "branches.yaml", "--at", "10us",
                          code=2, program=(sweeps.DCCVP,))
        self.assertIn("branches.yaml:2:8: out: the branch at branches.yaml:1:47 leaves its results in "
                      "'./c/' already", done.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), before)


class Results(Sweeps):
    def test_failures_are_listed_and_the_others_done(self):
        # The program refuses a kmin above kmax, and any CE mark violates the expectation.
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
        """Eight slots suffice for eight flows, so both numbers of slots give equal figures."""
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
        """The figure slowdown.all is empty without finite flows, and in every run of a microsecond."""
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
        """Checks all points with --full, otherwise the points at the ends of each axis."""
        for file in sorted((ROOT / "configs/sweeps").glob("*.yaml")):
            with self.subTest(file=file.name):
                name = str(file)
                if not FULL:
                    plan = yaml.safe_load(file.read_text())
                    plan["platform"] = str(file.parent / plan["platform"])
                    plan["grid"] = {axis: [values[0], values[-1]] for axis, values in plan["grid"].items()}
                    name = self.write(yaml.safe_dump(plan, sort_keys=False), file.name)
                self.sweep(name, "-j", "2", "--snakemake", f"flow-{file.stem}")


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


if __name__ == "__main__":
    sweeps.main()
