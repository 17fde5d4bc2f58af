#!/usr/bin/python3
"""Tests the pictures of reports: links, scales, curves, and comparisons that the number of seeds supports.

  report_pictures_test.py DCCVP
"""

import re
import unittest

from package import main
from dccvp.common import statistics
from dccvp.experiments import results
from dccvp.report import sweep_pictures
from dccvp.report.completion_pictures import Flows, completion_pictures

UNITS = {"queue": "B", "goodput": "Gb/s"}


def line(point, settings, **seeds):
    """A result line of a sweep: settings, and for each metric its values for all seeds."""
    values = {name: [float(v) for v in each] for name, each in seeds.items()}
    return {"point": point, "id": f"id{point}", "runs": len(next(iter(values.values()))), **settings,
            **{name: statistics.mean(each) for name, each in values.items()},
            "half": {name: statistics.confidence(each) for name, each in values.items()},
            "interval": {name: statistics.interval(each) for name, each in values.items()},
            "seeds": {name: dict(enumerate(each)) for name, each in values.items()}}


class SweepPictures(unittest.TestCase):
    LINES = [line(1 + 4 * k + 2 * i + j, {"kmin": a, "kmax": b, "by": c}, queue=[10 * (i + 1), 12 * (i + 1)],
                  goodput=[20 + k, 21 + k])
             for k, c in enumerate(("dcc", "<dcqcn>")) for i, a in enumerate(("5KB", "20KB"))
             for j, b in enumerate(("1MB", "100KB"))]
    # Addresses of the reports of points 1 to 7; the eighth point has no report.
    LINKS = {f"id{n}": f"points/id{n}/report.html" for n in range(1, 8)}

    def test_a_heat_map_has_a_panel_a_value_and_a_link_a_cell(self):
        html = sweep_pictures.heatmap({"metric": "queue", "x": "kmin", "y": "kmax", "by": "by"}, self.LINES,
                                      ["kmin", "kmax", "by"], UNITS, self.LINKS)
        self.assertEqual(html.count('<div class="heatmap">'), 2)
        self.assertEqual(re.findall(r'<a class="cell[^>]*href="([^"]*)"', html).__len__(), 7)
        self.assertEqual(html.count('<span class="cell'), 1, "a point without a report is no link")
        self.assertIn("--share:0.0%", html)
        self.assertIn("--share:100.0%", html)
        self.assertIn("22 ± 25", html, "the mean of 20 and 24 with half its interval")
        self.assertIn("by = &lt;dcqcn&gt;", html)
        self.assertLess(html.index(">5KB<"), html.index(">20KB<"))

    def test_a_trade_off_has_a_link_and_an_interval_a_mark(self):
        html = sweep_pictures.tradeoff({"x": "queue", "y": "goodput", "by": "by"}, self.LINES, ["kmin", "kmax", "by"],
                                       {"queue": "min", "goodput": "max"}, UNITS, self.LINKS)
        self.assertEqual(html.count("<circle"), 8)
        self.assertEqual(html.count("<a href="), 7)
        self.assertEqual(html.count('class="interval"'), 16)
        self.assertIn("queue, B (min is better)", html)

    def test_what_the_seeds_cannot_tell_beats_nobody(self):
        noisy = [line(1, {}, g=[10, 11, 12], q=[5, 5, 5]), line(2, {}, g=[10.1, 10.9, 12.1], q=[5, 5, 5]),
                 line(3, {}, g=[9, 10, 11], q=[5, 5, 5]), line(4, {}, g=[12, 13, 14], q=[9, 9, 9])]
        better = {"g": "max", "q": "min"}
        self.assertEqual([one["point"] for one in results.pareto(noisy, better)], [1, 2, 4])
        rows = list(results.differences({"g": "max"}, noisy))
        self.assertEqual([(row["point"], row["best point"], row["tied"]) for row in rows],
                         [(1, 4, False), (2, 4, False), (3, 4, False)])
        self.assertEqual((rows[0]["difference"], rows[0]["low"], rows[0]["high"]), (-2, -2, -2))
        self.assertEqual(rows[1]["seeds"], 3)

    def test_parameters_that_change_no_figure_are_named(self):
        class Sweep:
            document = {"axes": ["algorithm", "kmin", "seed"]}

        lines = [line(1, {"algorithm": "dcqcn", "kmin": "5KB"}, g=[10, 11]),
                 line(2, {"algorithm": "dcqcn", "kmin": "9KB"}, g=[10, 12]),
                 line(3, {"algorithm": "timely", "kmin": "5KB"}, g=[7, 8]),
                 line(4, {"algorithm": "timely", "kmin": "9KB"}, g=[7, 8])]
        self.assertEqual(list(results.without_effect(Sweep, lines)),
                         ["kmin changed no figure with algorithm = timely (points 3, 4)"])

    def test_one_run_a_setting_is_said_to_be_one(self):
        class OneRun:
            document = {"best": {"g": "max"}, "axes": ["k"]}

        text = results.best_text(OneRun, [line(1, {"k": "a"}, g=[12.3456789]), line(2, {"k": "b"}, g=[11])])
        self.assertIn("| 12.35 |", text)
        self.assertIn("chance is unknown", text)
        text = results.best_text(OneRun, [line(1, {"k": "a"}, g=[12, 13]), line(2, {"k": "b"}, g=[11, 11])])
        self.assertNotIn("chance is unknown", text)


class CompletionPictures(unittest.TestCase):
    METRICS = {"measure": {"from_s": 1.0, "to_s": 2.0}}

    def flows(self, label, count, start=1.5):
        sizes = [(500, 5_000, 50_000, 500_000)[i % 4] for i in range(count)]
        return Flows(label).add({"start_s": [start] * count, "bytes": sizes, "fct_s": [1e-6 * s for s in sizes],
                                 "slowdown": [1.0 + i % 7 for i in range(count)]}, self.METRICS)

    def test_curves_of_all_runs_in_one_picture(self):
        html = completion_pictures([self.flows("dcqcn", 400), self.flows("a<b", 400)])
        # The five figures are slowdown by size at two quantiles, and distributions for three ranges of sizes.
        self.assertEqual(html.count("<figure"), 5)
        self.assertEqual(html.count("a&lt;b"), 1 + 5)
        self.assertNotIn("NaN", html)

    def test_flows_count_if_they_begin_in_the_window(self):
        self.assertEqual(completion_pictures([self.flows("before", 400, start=0.99)]), "")
        self.assertEqual(completion_pictures([self.flows("at its end", 400, start=2.0)]), "")
        self.assertNotEqual(completion_pictures([self.flows("at its begin", 400, start=1.0)]), "")

    def test_few_flows_are_no_curve(self):
        self.assertEqual(completion_pictures([self.flows("few", 12)]), "")


if __name__ == "__main__":
    main()
