#!/usr/bin/python3
"""Tests the arithmetic of sweeps without runs: quantities, factors, Pareto fronts, confidence intervals and ties.

  sweep_arithmetic_test.py BUILD/dccvp
"""

import fractions
import itertools

import sweeps
from sweeps import HEAD, METRICS, Sweeps

from dccvp.common import quantity, statistics, yaml_nodes  # noqa: E402
from dccvp.experiments import figures as run_figures  # noqa: E402
from dccvp.experiments import folder as folders  # noqa: E402
from dccvp.experiments import results, sweep_plan  # noqa: E402


class Arithmetic(Sweeps):
    """Tests the plan and the table of a sweep, without runs."""

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
            # values are rounded to four significant digits
            self.assertLessEqual(abs(value - (10_000 + 2000 * (i + 0.5))), 1005)
        for size in ("64", "128", "256", "512"):
            self.assertEqual(values["nic.controller.slots"].count(size), 10)
        pmax = sorted(float(v) for v in values["switch.ecn.pmax"])
        # a logarithmic axis has the same number of points in each decade
        self.assertEqual(sum(v < 0.1 for v in pmax), 20)
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
    sweeps.main()
