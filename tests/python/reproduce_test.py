#!/usr/bin/python3
"""Tests the tool for published experiments: allowed contents of experiment files, judgement of figures, and output
files.

  reproduce_test.py DCCVP
"""

import contextlib
import io
import json
import unittest

from package import ROOT, FolderTest, main
from dccvp.common.ending import InputError, ended
from dccvp.experiments import reproduce, figures, reproduce_plan
from dccvp.experiments.figures import (EXPLAINED, INSIDE, MISSING, OUTSIDE, SHOWN, Figure, figure_value,
                                       figure_values, judge)
from dccvp.plot import plot_comparison, plot_lines, plot_rates

METRICS = {
    "aggregate": {"drops": 12, "jain": None, "text": "7", "done": True},
    "queues": [{"mean": 3.0}, {"mean": 30.0}, {"mean": 5.0}],
    "mixed": [{"a": 1}, {"b": 8}, {"a": None}],
    "empty": [],
    "flows": [{"goodput": 2.0}, {"goodput": 8.0}, {"goodput": 0.0}],
}

# A fake dccvp writes the values of `-c` and --seed as metrics, and fails where the test requires it.
FAKE_DCCVP = """#!/usr/bin/python3
import json, pathlib, sys
words = sys.argv[1:]
settings = dict(words[i + 1].split("=") for i, word in enumerate(words) if word == "-c")
seed = int(settings["seed"])
if settings.get("fail") == str(seed):
    sys.exit("dccvp: it broke")
out = pathlib.Path(words[words.index("--out") + 1])
out.mkdir(parents=True, exist_ok=True)
(out / "flows.csv").write_text("id,bytes,fct_s\\n1,100,2e-6\\n")
(out / "metrics.json").write_text(json.dumps({"x": float(settings["x"]) + seed, "args": words}))
"""


class ExperimentFileTest(FolderTest):
    def setUp(self):
        super().setUp()
        (self.folder / "tried.yaml").write_text("duration: 1ms\n")

    def read(self, text):
        file = self.folder / "tried.figures.yml"
        file.write_text(text)
        return reproduce_plan.read(file)

    def refusal(self, text):
        """The error message for an experiment file, without the folder's path."""
        with self.assertRaises(InputError) as caught:
            self.read(text)
        start = str(self.folder / "tried.figures.yml")
        self.assertTrue(str(caught.exception).startswith(start), caught.exception)
        return str(caught.exception)[len(start):]

    def figure(self, keys):
        """The error message for an experiment with one run and one figure, which is on line 3 from column 15 on."""
        return self.refusal(f"runs:\n  - run: one\n    figures: [{{{keys}}}]\n")

    def test_every_key_arrives(self):
        e = self.read("""title: A title
source: somewhere
slow: true
runs:
  - run: first
    set: ["duration=2ms", "seed=3"]
    figures:
      - {figure: a, value: x.y, per: 1000, published: 20, within: 35%, source: paper, reason: because}
      - {figure: b, value: z, published: 2, within: 0.5, at_least: -1, at_most: 3e2}
  - run: second
    figures: [{figure: c, value: z, over: first, bytes: 1..9}]
""")
        self.assertEqual((e.name, e.title, e.source, e.slow, e.config),
                         ("tried", "A title", "somewhere", True, self.folder / "tried.yaml"))
        self.assertEqual([run.name for run in e.runs], ["first", "second"])
        self.assertEqual(e.runs[0].overrides, ["duration=2ms", "seed=3"])
        self.assertEqual(e.runs[0].figures, [
            Figure("a", "x.y", 1000, 20, None, 0.35, source="paper", reason="because"),
            Figure("b", "z", 1, 2, 0.5, None, at_most=300, at_least=-1)])
        self.assertEqual(e.runs[1].figures, [Figure("c", "z", over="first", sizes=(1, 9))])

    def test_a_picture_names_classes(self):
        runs = "runs: [{run: a, figures: [{figure: b, value: c}]}]\n"
        self.assertIsNone(self.read(runs).picture)
        self.assertEqual(self.read("picture: {10: four, 11: one}\n" + runs).picture, {10: "four", 11: "one"})
        self.assertEqual(self.refusal("picture: {64: four}\n" + runs),
                         ":1:11: a DSCP, 0 to 63, is expected, not '64'")
        self.assertIn("a map", self.refusal("picture: [10]\n" + runs))

    def test_lines_run_over_columns_with_numbers_or_over_sizes(self):
        table = "columns: [{column: %s, figures: [{figure: a, value: x}]}]\nrows: [{row: r, family: f}]\n"
        self.assertEqual(self.read(table % "c").lines, "")
        self.assertEqual(self.read("lines: sizes\n" + table % "c").lines, "sizes")
        self.assertEqual(self.read("lines: columns\n" + table % '"c, 10"').lines, "columns")
        self.assertEqual(self.refusal("lines: columns\n" + table % "c"),
                         ":2:10: lines: column 'c' is not named 'GROUP, NUMBER'")
        expected = ":1:8: lines: columns or sizes is expected, in an experiment with rows and columns"
        self.assertEqual(self.refusal("lines: rows\n" + table % "c"), expected)
        self.assertEqual(self.refusal("lines: sizes\nruns: [{run: a, figures: [{figure: b, value: c}]}]\n"), expected)

    def test_a_star_stands_for_the_columns_of_a_group(self):
        columns = "".join(f"  - {{column: '{name}', figures: [{{figure: a, value: x}}]}}\n"
                          for name in ("near, 1", "near, 2", "far, 1"))
        row = "rows:\n  - {row: r, family: f}\n  - {row: s, family: f, figures: [{column: 'near*', figure: b, " \
              "value: x, over: 'r, *'}]}\n"
        e = self.read(f"columns:\n{columns}{row}")
        self.assertEqual({run.name: [f.over for f in run.figures] for run in e.runs},
                         {"r, near, 1": [""], "r, near, 2": [""], "r, far, 1": [""],
                          "s, near, 1": ["", "r, near, 1"], "s, near, 2": ["", "r, near, 2"], "s, far, 1": [""]})
        self.assertIn("no column 'none*'", self.refusal(f"columns:\n{columns}" + row.replace("near*", "none*")))
        self.assertIn("over: no run 's, near, 1' above this one",
                      self.refusal(f"columns:\n{columns}" + row.replace("'r, *'", "'s, *'")))

    def test_another_configuration(self):
        (self.folder / "other.yaml").write_text("duration: 1ms\n")
        e = self.read("config: other.yaml\nruns: [{run: one, figures: [{figure: a, value: b}]}]\n")
        self.assertEqual((e.config, e.slow), (self.folder / "other.yaml", False))

    def test_a_figure_is_refused_with_its_place(self):
        for keys, said in (
                ("figure: a, value: b, publishd: 3",
                 ":3:37: unknown key 'publishd' in a figure; did you mean 'published'?"),
                ("figure: a", ":3:15: 'value' is missing in a figure"),
                ("value: a", ":3:15: 'figure' is missing in a figure"),
                ("figure: a, value: b, within: 3", ":3:45: 'within' needs a 'published' value"),
                ("figure: a, value: b, published: much", ":3:48: a number is expected, not 'much'"),
                ("figure: a, value: b, published: 3x", ":3:48: a number is expected, not '3x'"),
                ("figure: a, value: b, published: nan", ":3:48: a number is expected, not 'nan'"),
                ("figure: a, value: b, published: 1e999", ":3:48: a number is expected, not '1e999'"),
                ("figure: a, value: b, published: 1, within: -1", ":3:59: a tolerance below zero"),
                ("figure: a, value: b, published: 1, within: -1%", ":3:59: a tolerance below zero"),
                ('figure: a, value: b, published: 1, within: "%"',
                 ":3:59: a number is expected, not '%'"),
                ("figure: a, value: b, per: 0", ":3:42: per: division by zero"),
                ("figure: a, value: b, bytes: 1..x",
                 ":3:44: sizes are expected, such as 1..11680, not '1..x'"),
                ("figure: a, value: b, bytes: 7", ":3:44: sizes are expected, such as 1..11680, not '7'"),
                ("figure: a, value: b, bytes: 8..7", ":3:44: bytes: no size is from 8 to 7"),
                ("figure: a, value: b, over: one", ":3:43: over: no run 'one' above this one"),
                ("figure: a, value: least(b.*)",
                 ":3:34: 'least' is not one of max, min, sum, count, mean, p50 (any percentile)"),
                ("figure: [a], value: b", ":3:24: 'figure' is a word, not a list"),
                ("figure: a, value: b, at_most: {}", ":3:46: 'at_most' is a word, not a map")):
            with self.subTest(keys=keys):
                self.assertEqual(self.figure(keys), said)

    def test_the_rest_is_refused_with_its_place(self):
        run = "{run: one, figures: [{figure: a, value: b}]}"
        self.read(f"runs: [{run}]\n")
        for text, said in (
                ("title: none\n", ":1:1: an experiment has either 'runs', or 'rows' and 'columns'"),
                ("runs: []\n", ":1:7: 'runs' is empty"),
                ("runs: {}\n", ":1:7: 'runs' is a list, not a map"),
                ("- runs\n", ":1:1: an experiment is a map, not a list"),
                (f"fast: true\nruns: [{run}]\n", ":1:1: unknown key 'fast' in an experiment (known: "
                 "title, source, config, slow, bounds, picture, lines, runs, rows, columns)"),
                (f"slow: maybe\nruns: [{run}]\n", ":1:7: 'slow' is true or false, not 'maybe'"),
                ("runs: [{run: one, figures: []}]\n", ":1:28: 'figures' is empty"),
                ("runs: [{run: one, seed: 3, figures: []}]\n",
                 ":1:19: unknown key 'seed' in a run (known: run, set, figures)"),
                ("runs: [{run: one, set: duration=1ms, figures: []}]\n",
                 ":1:24: 'set' is a list, not 'duration=1ms'"),
                (f"config: absent.yaml\nruns: [{run}]\n",
                 f":1:9: no such file: '{self.folder}/absent.yaml'")):
            with self.subTest(text=text):
                self.assertEqual(self.refusal(text), said)
        self.refusal("runs: [\n")
        self.refusal("")

    def test_every_row_is_run_in_every_column(self):
        e = self.read("""columns:
  - column: calm
    figures:
      - {figure: a, value: x, at_most: 3, panel: log}
      - {figure: b, value: y, published: 0, within: 0}
  - {column: storm, set: [load=1], figures: [{figure: a, value: z, panel: linear}]}
rows:
  - {row: one, family: f, set: [kind=one]}
  - row: two
    family: f
    survey: Two
    switch: nothing
    host: timers
    figures:
      - {column: calm, figure: b, within: 2}
      - {column: storm, figure: a, over: "one, storm", at_least: 2, reason: because}
      - {column: calm, figure: c, value: w, at_most: 1}
""")
        self.assertEqual([run.name for run in e.runs], ["one, calm", "one, storm", "two, calm", "two, storm"])
        self.assertEqual([run.overrides for run in e.runs], [["kind=one"], ["kind=one", "load=1"], [], ["load=1"]])
        calm = [Figure("a", "x", at_most=3, panel="log"), Figure("b", "y", published=0, within=0)]
        storm = Figure("a", "z", panel="linear")
        self.assertEqual(e.runs[0].figures, calm)
        self.assertEqual(e.runs[1].figures, [storm])
        self.assertEqual(e.runs[2].figures, [calm[0], Figure("b", "y", published=0, within=2),
                                             Figure("c", "w", at_most=1)])
        self.assertEqual(e.runs[3].figures, [
            Figure("a", "z", panel="linear", over="one, storm", at_least=2, reason="because")])
        self.assertEqual(e.comparison.rows[1], reproduce_plan.Row("two", "f", "Two", "nothing", "timers"))
        self.assertEqual([(c.name, c.panels) for c in e.comparison.columns],
                         [("calm", calm[:1]), ("storm", [storm])])

    def test_a_comparison_is_refused_with_its_place(self):
        column = "columns: [{column: c, figures: [{figure: a, value: x}]}]\n"
        row = "{row: r, family: f}"
        self.read(f"{column}rows: [{row}]\n")
        for text, said in (
                (f"rows: [{row}]\n", ":1:1: 'columns' is missing in an experiment"),
                (column, ":1:1: 'rows' is missing in an experiment"),
                (f"{column}rows: [{row}]\nruns: []\n",
                 ":1:1: an experiment has either 'runs', or 'rows' and 'columns'"),
                (f"{column}rows: [{row}, {row}]\n", ":2:29: run 'r, c' is there twice"),
                (f"{column}rows: [{{row: r}}]\n", ":2:8: 'family' is missing in a row"),
                (f"{column}rows: [{{row: r, family: f, figures: [{{column: c, figure: b}}]}}]\n",
                 ":2:38: no figure 'b' in column 'c', and no 'value' for one more"),
                (f"{column}rows: [{{row: r, family: f, figures: [{{column: d, figure: a}}]}}]\n",
                 ":2:38: no column 'd'"),
                (f"{column}rows: [{{row: r, family: f, figures: [{{column: c, figure: a, panel: log}}]}}]\n",
                 ":2:68: a panel is of all rows: it stands in a column"),
                ("columns: [{column: c, figures: [{figure: a, value: x, panel: round}]}]\n" f"rows: [{row}]\n",
                 ":1:62: panel: 'round' is none of linear, log"),
                ("columns: [{column: c, figures: [{figure: a, value: x}, {figure: a, value: y}]}]\n"
                 f"rows: [{row}]\n", ":1:56: figure 'a' is there twice")):
            with self.subTest(text=text):
                self.assertEqual(self.refusal(text), said)

    def test_a_folder_is_listed_by_name(self):
        for folder in (self.folder, self.folder / "absent"):
            with self.assertRaises(InputError):
                reproduce_plan.find(folder)
        for name in ("b.figures.yml", "a.figures.yml", "figures.yml", ".figures.yml"):
            (self.folder / name).write_text("\n")
        self.assertEqual([path.name for path in reproduce_plan.find(self.folder)],
                         ["a.figures.yml", "b.figures.yml"])

    def test_all_that_are_shipped_can_be_read(self):
        experiments = [reproduce_plan.read(p) for p in reproduce_plan.find(ROOT / "configs/reproduce")]
        self.assertGreaterEqual(len(experiments), 20)
        self.assertTrue(all(e.title and e.source for e in experiments))

    def test_what_comparisons_say_of_the_survey_stands_in_its_tables(self):
        lines = plot_comparison.survey_table()
        rows = [row for path in reproduce_plan.find(ROOT / "configs/reproduce")
                for comparison in [reproduce_plan.read(path).comparison] if comparison
                for row in comparison.rows]
        self.assertGreater(len(rows), 10)
        self.assertEqual([row.survey for row in rows if row.survey and row.survey not in lines], [])
        self.assertTrue(all(row.switch and row.host for row in rows))


class FigureValueTest(unittest.TestCase):
    def value(self, path, per=1.0):
        return figure_value(METRICS, Figure("f", path, per))

    def test_a_path_is_followed(self):
        self.assertEqual(self.value("aggregate.drops"), 12)
        self.assertEqual(self.value("aggregate.done"), 1)
        self.assertEqual(self.value("queues.2.mean"), 5)
        self.assertEqual(self.value("aggregate.drops", 1000), 0.012)

    def test_a_star_takes_the_greatest_of_those_that_have_it(self):
        self.assertEqual(self.value("queues.*.mean"), 30)
        self.assertEqual(self.value("mixed.*.a"), 1)
        self.assertIsNone(self.value("mixed.*.c"))
        self.assertIsNone(self.value("empty.*.a"))

    def test_of_several_the_one_that_is_asked_for(self):
        self.assertEqual(self.value("min(queues.*.mean)"), 3)
        self.assertEqual(self.value("p50(queues.*.mean)"), 5)
        self.assertEqual(self.value("p99.9(queues.*.mean)", 10), 3)
        self.assertAlmostEqual(self.value("mean(queues.*.mean)"), 38 / 3)
        self.assertEqual(self.value("min(flows.*.goodput) / p50(queues.*.mean)"), 0)
        self.assertEqual(self.value("min(mixed.*.a)"), 1)
        self.assertIsNone(self.value("min(empty.*.a)"))
        for path in ("least(queues.*.mean)", "min(queues.*.mean", "p(queues.*.mean)", "min()"):
            with self.assertRaises(InputError, msg=path):
                self.value(path)

    def test_one_is_divided_by_another(self):
        self.assertEqual(self.value("flows.0.goodput / flows.1.goodput"), 0.25)
        self.assertEqual(self.value("flows.1.goodput / flows.0.goodput", 2), 2)
        self.assertIsNone(self.value("flows.0.goodput / flows.2.goodput"))
        self.assertIsNone(self.value("flows.0.goodput / flows.9.goodput"))
        self.assertIsNone(self.value("flows.9.goodput / flows.0.goodput"))

    def test_what_is_no_number_is_missing(self):
        for path in ("nothing", "aggregate", "aggregate.jain", "aggregate.text", "aggregate.drops.more",
                     "queues.3.mean", "queues.x.mean", "queues.99999999999999999999.mean", "queues", "*"):
            self.assertIsNone(self.value(path), path)
        for path in ("queues.-1.mean", "queues..mean", "", "a b"):
            with self.assertRaises(InputError, msg=path):
                self.value(path)


class JudgeTest(unittest.TestCase):
    def verdict(self, values, seeds=1, **figure):
        return judge(Figure("f", "x", **figure), values, seeds)

    def test_a_tolerance_is_absolute_or_a_share_and_its_ends_are_inside(self):
        bounds: list[dict[str, float]] = [{"within": 2}, {"within_share": 0.25}]
        for bound in bounds:
            for value, verdict in ((6, INSIDE), (10, INSIDE), (5.99, OUTSIDE), (10.01, OUTSIDE)):
                self.assertEqual(self.verdict([value], published=8, **bound), verdict)
        self.assertEqual(self.verdict([-9], published=-8, within_share=0.25), INSIDE)
        self.assertEqual(self.verdict([9], published=-8, within_share=0.25), OUTSIDE)
        self.assertEqual(self.verdict([60_000], published=60_000, within=0), INSIDE)
        self.assertEqual(self.verdict([59_999], published=60_000, within=0), OUTSIDE)

    def test_bounds_hold_each_by_itself(self):
        for value, verdict in ((1, INSIDE), (2, INSIDE), (0.9, OUTSIDE), (2.1, OUTSIDE)):
            self.assertEqual(self.verdict([value], at_least=1, at_most=2), verdict)
        self.assertEqual(self.verdict([2.1], at_least=1, at_most=2, published=2, within=5), OUTSIDE)
        self.assertEqual(self.verdict([-0.1], at_least=0), OUTSIDE)

    def test_a_reason_explains_what_is_outside_and_nothing_else(self):
        for values, verdict in (([8], INSIDE), ([11], EXPLAINED), ([], MISSING)):
            self.assertEqual(self.verdict(values, published=8, within=1, reason="because"), verdict)

    def test_without_a_bound_it_is_shown(self):
        self.assertEqual(self.verdict([8]), SHOWN)
        self.assertEqual(self.verdict([8], published=1), SHOWN)

    def test_the_mean_of_the_seeds_counts_and_none_may_be_missing(self):
        self.assertEqual(self.verdict([5, 10, 15], 3, published=10, within=1), INSIDE)
        self.assertEqual(self.verdict([10, 10, 14], 3, published=10, within=1), OUTSIDE)
        self.assertEqual(self.verdict([10, 10], 3, published=10, within=1), MISSING)


class RatioTest(unittest.TestCase):
    def test_a_run_is_held_against_one_above_seed_by_seed(self):
        figure = Figure("f", "x", 1000, over="base")
        base = {"base": [{"x": 2}, {"x": 4}, None, {"x": 0}, {"x": 5}]}
        mine = [{"x": 1}, {"x": 6}, {"x": 1}, {"x": 1}, None]
        self.assertEqual(figure_values(mine, figure, base), [0.5, 1.5])
        self.assertEqual(figure_values(mine, Figure("f", "x", 2), {}), [0.5, 3, 0.5, 0.5])


class SmallFlowsTest(FolderTest):
    def of(self, csv):
        (self.folder / "flows.csv").write_text(csv)
        metrics = {"kept": 1}
        figures.add_times(metrics, self.folder)
        self.assertEqual(metrics.pop("kept"), 1)
        return metrics

    def test_completed_flows_up_to_10_kb(self):
        csv = "id,bytes,fct_s,completed\n"
        csv += "".join(f"{i},{100 * i},{i}e-6,true\n" for i in range(1, 101))
        # The three additional flows are too large, incomplete, and without an end.
        csv += "101,10001,5,true\n102,10,,false\n103,,3e-6,false\n"
        small = self.of(csv)["small_flows"]
        self.assertEqual(small["flows"], 100)
        self.assertAlmostEqual(small["fct_us_p50"], 50)
        self.assertAlmostEqual(small["fct_us_p99"], 99)

    def test_nothing_without_such_flows(self):
        self.assertNotIn("small_flows", self.of("id,bytes,fct_s\n1,20000,1\n"))
        for csv in ("id,bytes\n1,20\n", ""):
            self.assertEqual(self.of(csv), {})
        (self.folder / "flows.csv").unlink()
        metrics = {}
        figures.add_times(metrics, self.folder)
        self.assertEqual(metrics, {})

    def test_a_figure_is_of_flows_of_its_sizes(self):
        csv = "id,bytes,fct_s\n" + "".join(f"{i},{i},{i}e-6\n" for i in range(1, 2001))
        metrics = self.of(csv)

        def value(path, least, most):
            return figure_value(metrics, Figure("f", path, sizes=(least, most)))
        self.assertEqual(value("sized.flows", 1000, 2000), 1001)
        self.assertAlmostEqual(value("sized.fct_us_mean", 3, 5), 4)
        self.assertAlmostEqual(value("sized.fct_us_p50", 1, 2000), 1000)
        self.assertAlmostEqual(value("sized.fct_us_p999", 1, 2000), 1998)
        self.assertIsNone(value("sized.fct_us_mean", 2001, 9000))
        self.assertIsNone(value("aggregate.drops", 1, 2000))


class ToolTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.program = self.folder / "dccvp"
        self.program.write_text(FAKE_DCCVP)
        self.program.chmod(0o755)
        for name in ("one", "two"):
            (self.folder / f"{name}.yaml").write_text("duration: 1ms\n")
        (self.folder / "one.figures.yml").write_text("""title: The first
source: nowhere
runs:
  - run: good
    set: [x=10]
    figures:
      - {figure: x, value: x, published: 11.5, within: 10%}
      - {figure: small, value: small_flows.fct_us_p50, reason: a lot of words that say why it is so, \
source: elsewhere, at_most: 1}
""")
        (self.folder / "two.figures.yml").write_text("""title: The second
slow: true
runs:
  - {run: bad, set: [x=1, fail=2], figures: [{figure: x, value: x}]}
""")

    def tried(self, *words):
        said, complaint = io.StringIO(), io.StringIO()
        arguments = [str(self.program), *words, "--experiments", str(self.folder)]
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complaint):
            status = ended(lambda: reproduce.main(arguments))
        return status, said.getvalue(), complaint.getvalue()

    def test_a_table_records_and_a_status(self):
        out = self.folder / "out"
        status, said, _ = self.tried("--out", str(out), "--seeds", "2")
        self.assertEqual(status, 0, said)
        self.assertEqual(said, f"""The first (one)
  source: nowhere
  run: figure     published                    ours             verdict
  -----------  ------------  ----------------------  ------------------
  good: x      11.5 +- 10 %  11.5 +- 6.4 (11 .. 12)              inside
  good: small          <= 1                       2  outside, explained
  * good: small: a lot of words that say why it is so

Table: {out}/reproduction.json
""")
        records = json.loads((out / "reproduction.json").read_text())
        self.assertEqual(records[0], {
            "experiment": "one", "run": "good", "figure": "x", "published": 11.5,
            "accepted": "11.5 +- 10 %", "ours": [11.0, 12.0], "verdict": "inside", "source": "nowhere",
            "reason": ""})
        self.assertEqual((records[1]["published"], records[1]["source"]), (None, "elsewhere"))
        arguments = json.loads((out / "one/run0-seed2/metrics.json").read_text())["args"]
        self.assertEqual(arguments, [
            "run", str(self.folder / "one.yaml"), "-c", "x=10", "-c", "seed=2",
            "--out", str(out / "one/run0-seed2"), "--force", "--quiet", "--no-plots", "--threads", "1"])
        self.assertIn("| good | x | 11.5 +- 10 % | 11.5 ± 6.4 (11 … 12) | inside |",
                      (out / "reproduction.md").read_text())
        before = {file: file.stat().st_mtime_ns for file in out.rglob("metrics.json")}
        self.assertEqual(self.tried("--out", str(out), "--seeds", "2")[1], said)
        self.assertEqual({file: file.stat().st_mtime_ns for file in out.rglob("metrics.json")}, before, "run again")

    def test_a_picture_of_rates_is_drawn_even_if_a_run_failed(self):
        folder = self.folder / "out/drawn/run0-seed1"
        (folder / "series").mkdir(parents=True)
        (folder / "flows.csv").write_text("id,dscp\n0,10\n1,11\n")
        (folder / "series/flow_rates.csv").write_text(
            "t_s,flow,goodput_gbps\n" + "".join(f"{i * 1e-4},{flow},{flow + i % 2}\n"
                                                for i in range(200) for flow in (0, 1)))
        lines = plot_rates.by_flow(folder)
        self.assertEqual({flow: len(times) for flow, (times, _) in lines.items()}, {0: 40, 1: 40})
        self.assertEqual(set(lines[1][1]), {1.4, 1.6})  # each value of the curve is the mean of five samples
        runs = [reproduce_plan.Run(name, [], []) for name in ("there", "failed")]
        experiment = reproduce_plan.Experiment("drawn", self.folder, "A title", "", False, runs,
                                               picture={10: "four", 11: "one"})
        plot_rates.draw(self.folder / "out", experiment)
        self.assertEqual((self.folder / "out/drawn.png").read_bytes()[:4], b"\x89PNG")

    def lines_of(self, kind, names):
        """The curves of a comparison of two rows."""
        rows = [reproduce_plan.Row(name, "f", "", "", "") for name in ("one", "two")]
        columns = [reproduce_plan.Column(name, [Figure("x", "x", panel="linear")]) for name in names]
        return reproduce_plan.Experiment("drawn", self.folder, "A title", "", False, [],
                                         reproduce_plan.Comparison(rows, columns), lines=kind)

    def test_lines_over_columns_have_a_point_for_each_run_that_ended(self):
        experiment = self.lines_of("columns", ("flows, 10", "flows, 20", "no end, 10"))
        groups = plot_lines.groups_of(experiment.comparison)
        self.assertEqual({name: [x for x, _ in columns] for name, columns in groups.items()},
                         {"flows": [10, 20], "no end": [10]})
        records = {("one, flows, 10", "x"): [1.0, 3.0], ("two, flows, 20", "x"): [5.0]}
        one, two = experiment.comparison.rows
        self.assertEqual(plot_lines.line_of(records, one, groups["flows"], "x"), ([10], [2.0]))
        self.assertEqual(plot_lines.line_of(records, two, groups["flows"], "x"), ([20], [5.0]))
        folder = self.folder / "out"
        folder.mkdir()
        (folder / "reproduction.json").write_text(json.dumps(
            [{"experiment": "drawn", "run": "one, flows, 10", "figure": "x", "ours": [1.0, 3.0]}]))
        plot_lines.draw(folder, experiment)
        self.assertEqual((folder / "drawn.png").read_bytes()[:4], b"\x89PNG")

    def test_lines_over_sizes_leave_out_sizes_of_few_flows(self):
        experiment = self.lines_of("sizes", ("short", "long"))
        folder = self.folder / "out"
        (folder / "drawn/run3-seed1").mkdir(parents=True)
        sizes = [{"above_bytes": 0, "up_to_bytes": 100, "completed": 20, "us_p99": 7},
                 {"above_bytes": 100, "up_to_bytes": 200, "completed": 19, "us_p99": 8},
                 {"above_bytes": 200, "up_to_bytes": None, "completed": 30, "us_p99": 9}]
        (folder / "drawn/run3-seed1/metrics.json").write_text(json.dumps({"fct": {"all": {"by_size": sizes}}}))
        self.assertEqual(plot_lines.percentiles(folder, experiment, 3), ([100, 400], [7, 9]))
        self.assertEqual(plot_lines.percentiles(folder, experiment, 0), ([], []))
        (folder / "reproduction.json").write_text("[]")
        plot_lines.draw(folder, experiment)
        self.assertEqual((folder / "drawn.png").read_bytes()[:4], b"\x89PNG")

    def test_a_run_that_fails_is_said_and_kept(self):
        out = self.folder / "out"
        status, said, _ = self.tried("two", "--out", str(out), "--seeds", "3", "--jobs", "1")
        self.assertEqual(status, 1)
        self.assertRegex(said, r"bad: x +- +3 \+- 13 \(2 .. 4\) +MISSING")
        self.assertIn(f"run failed, see {out}/two/run0-seed2.log", said)
        self.assertEqual((out / "two/run0-seed2.log").read_text(), "it broke\n")
        self.assertEqual((out / "two/run0-seed1.log").read_text(), "")

    def test_a_comparison_is_drawn_even_if_a_run_failed(self):
        (self.folder / "three.yaml").write_text("duration: 1ms\n")
        (self.folder / "three.figures.yml").write_text("""title: The third
columns:
  - {column: c, figures: [{figure: x, value: x, panel: log}]}
  - {column: d, set: [y=1], figures: [{figure: x, value: x, panel: linear}]}
rows:
  - {row: one, family: f, set: [x=1]}
  - {row: two, family: g, set: [x=2, fail=1], survey: DCTCP}
""")
        out = self.folder / "out"
        status, said, _ = self.tried("three", "--out", str(out))
        self.assertEqual(status, 1)
        self.assertRegex(said, r"one, d: x +- +2 +-")
        self.assertRegex(said, r"two, c: x +- +- +MISSING")
        self.assertEqual((out / "three.png").read_bytes()[:4], b"\x89PNG")

    def test_the_list_and_an_unknown_name(self):
        self.assertEqual(self.tried("--list"), (0, f"{'one':<24} The first\n{'two':<24} The second (slow)\n",
                                                ""))
        status, said, complaint = self.tried("three", "--out", str(self.folder / "out"))
        self.assertEqual((status, said), (2, ""))
        self.assertIn("no experiment 'three'", complaint)
        self.assertFalse((self.folder / "out").exists())

    def test_the_first_words_of_several_names_choose_all_of_them(self):
        for name in ("many_b", "many_a", "manyfold"):
            (self.folder / f"{name}.yaml").write_text("duration: 1ms\n")
            (self.folder / f"{name}.figures.yml").write_text(f"""title: {name}
source: somewhere
runs: [{{run: r, figures: [{{figure: x, value: x}}]}}]
""")
        _, said, _ = self.tried("many", "one", "--list")
        self.assertEqual([line.split()[0] for line in said.splitlines()], ["many_a", "many_b", "one"])


if __name__ == "__main__":
    main()
