#!/usr/bin/python3
"""Tests that configs/reproduce/results.md has a row for every experiment with the number of figures of the
experiment's file, and that docs/reproductions.md is the summary of these rows.

  reproductions_page_test.py DCCVP
"""

import json
import subprocess
import unittest

from package import ROOT, FolderTest, main
from dccvp.experiments import figures, reproduce_plan, reproductions_page

PAGE = ROOT / "docs/reproductions.md"
RESULTS = reproduce_plan.SHIPPED / "results.md"


class ShippedPageTest(unittest.TestCase):
    def test_has_every_experiment_with_its_figures(self):
        """Fails if a figure was added, removed or bounded since the last run of the experiment, which must then be
        run again."""
        rows = reproductions_page.rows_of(RESULTS)
        experiments = [reproduce_plan.read(file) for file in reproduce_plan.find(reproduce_plan.SHIPPED)]
        self.assertEqual(list(rows), sorted(e.name for e in experiments))
        for experiment in experiments:
            with self.subTest(experiment.name):
                _, having_bounds, bad, shown = reproductions_page.counts_of(rows[experiment.name])
                bounded = [figures.bounded(figure) for run in experiment.runs for figure in run.figures]
                self.assertEqual((having_bounds, bad, shown), (sum(bounded), 0, len(bounded) - sum(bounded)))


class OntoTest(FolderTest):
    def record(self, **changes):
        return {"experiment": "pdq_switching", "run": "five of 1 MB", "figure": "all done ms", "published": 42,
                "accepted": "42 +- 2 %", "ours": [40.0], "verdict": "OUTSIDE", "source": "", "reason": "", **changes}

    def onto(self, records):
        """Returns the page and the rows of results.md after adding these records."""
        page, results = self.folder / "page.md", self.folder / "results.md"
        results.write_bytes(RESULTS.read_bytes())
        (self.folder / "reproduction.json").write_text(json.dumps(records))
        subprocess.run([ROOT / "python/tool.py", "reproductions-page", "--onto", page, "--results", results,
                        self.folder], check=True)
        return page.read_text(), reproductions_page.rows_of(results)

    def test_without_results_the_page_stays(self):
        page, rows = self.onto([])
        self.assertEqual(page, PAGE.read_text())
        self.assertEqual(rows, reproductions_page.rows_of(RESULTS))

    def test_new_results_replace_a_row_and_change_the_sums(self):
        explained = self.record(figure="x", verdict="outside, explained", reason="so it is")
        page, after = self.onto([self.record(), explained])
        before = reproductions_page.rows_of(RESULTS)
        self.assertEqual([name for name in before if before[name] != after[name]], ["pdq_switching"])
        self.assertEqual(reproductions_page.counts_of(after["pdq_switching"]), (0, 2, 1, 0))
        inside, bounded, _, shown = reproductions_page.counts_of(before["pdq_aggregation"])
        self.assertIn(f"| `pdq_…` | 2 | {inside}/{bounded + 2} **1 without a reason** | {shown} |", page)

    def test_tables_have_figures_and_reasons(self):
        experiment = reproduce_plan.read(reproduce_plan.SHIPPED / "pdq_switching.figures.yml")
        text, _ = reproductions_page.tables([experiment], [
            self.record(),
            self.record(figure="x", ours=[1.0, 2.0, 3.0], verdict="outside, explained", reason="so it is")])
        self.assertIn("| five of 1 MB | all done ms | 42 +- 2 % | 40 | OUTSIDE |", text)
        self.assertIn("| 2.0 ± 2.5 (1 … 3) | outside (1) |", text)
        self.assertIn("(1) so it is", text)


class OrdersTest(unittest.TestCase):
    def ordered(self, *means):
        """True if tables() confirms the first order of means for these values."""
        order = "60 x 1000"
        names = [f"fbhadoop_{name}" for name in ("hpcc", "dctcp", "dcqcn", "timely", "dcqcn_paper")]
        experiments = [reproduce_plan.read(reproduce_plan.SHIPPED / f"{name}.figures.yml") for name in names]
        return reproductions_page.tables(experiments, [
            {"experiment": name, "run": order, "figure": "mean slowdown", "published": None, "accepted": "-",
             "ours": [mean], "verdict": "-", "source": "", "reason": ""} for name, mean in zip(names, means)])[1]

    def test_an_order_that_is_not_kept_is_told(self):
        self.assertTrue(self.ordered(1.9, 3.3, 6.0, 8.2, 8.7))
        self.assertFalse(self.ordered(1.9, 3.3, 9.0, 8.2, 8.7))


if __name__ == "__main__":
    main()
