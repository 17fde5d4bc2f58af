#!/usr/bin/python3
"""Tests the bounds of the published experiments: a bound wider than a factor of two must state its reason.

  bounds_test.py DCCVP
"""

import math
import unittest

from package import FolderTest, main
from dccvp.experiments import bounds, reproduce_plan
from dccvp.experiments.figures import Figure


class WidthTest(unittest.TestCase):
    def width(self, name="queue KB", **accepted):
        return bounds.width(Figure(name, "aggregate.drops", **accepted))

    def test_is_greatest_over_least(self):
        self.assertAlmostEqual(self.width(at_least=10, at_most=15), 1.5)
        self.assertAlmostEqual(self.width(published=10, within=2), 1.5)
        self.assertAlmostEqual(self.width(published=10, within_share=0.5), 3)
        self.assertAlmostEqual(self.width(published=10, within_share=0.5, at_least=8, at_most=100), 15 / 8)
        self.assertEqual(self.width(published=0, within=0), 1)

    def test_open_sides(self):
        self.assertIsNone(self.width(at_least=10))
        self.assertIsNone(self.width(at_most=10))
        self.assertEqual(self.width(at_least=0, at_most=10), math.inf)
        self.assertEqual(self.width(at_least=-1, at_most=10), math.inf)

    def test_a_share_ends_at_one_and_a_count_at_zero(self):
        self.assertAlmostEqual(self.width("Jain", at_least=0.8), 1.25)
        self.assertAlmostEqual(self.width("goodput fraction", at_least=0.5), 2)
        self.assertIsNone(self.width("goodput fraction over DCTCP's", at_least=0.5))
        self.assertEqual(self.width("drops", at_most=0), 1)


class ShippedTest(FolderTest):
    def test_wide_bounds_give_their_reason(self):
        self.assertEqual(bounds.unexplained(), [])

    def test_a_wide_bound_without_a_reason_is_found(self):
        (self.folder / "x.yaml").write_text("duration: 1ms\n")
        text = ("title: X\nsource: y\n{top}runs:\n  - run: a\n    figures:\n"
                "      - {{figure: q, value: aggregate.drops, at_least: 1, at_most: {most}{own}}}\n")

        def faults(most, top="", own=""):
            (self.folder / "x.figures.yml").write_text(text.format(top=top, most=most, own=own))
            return bounds.unexplained(self.folder)

        self.assertEqual(faults(2), [])
        self.assertEqual(len(faults(3)), 1)
        self.assertIn("x.figures.yml: a: q", faults(3)[0])
        self.assertEqual(faults(3, own=", why: so it is"), [])
        self.assertEqual(faults(3, top="bounds: {q: so it is}\n"), [])

    def test_bounds_of_an_unknown_figure_are_refused(self):
        (self.folder / "x.yaml").write_text("duration: 1ms\n")
        (self.folder / "x.figures.yml").write_text(
            "title: X\nbounds: {r: why}\nruns:\n  - {run: a, figures: [{figure: q, value: aggregate.drops}]}\n")
        with self.assertRaisesRegex(Exception, "no figure 'r'"):
            reproduce_plan.read(self.folder / "x.figures.yml")

    def test_the_table_counts_every_bound(self):
        counted = sum(int(line.split("|")[2]) for line in bounds.table()[2:])
        self.assertEqual(counted, sum(1 for _ in bounds.bounded_figures()))


if __name__ == "__main__":
    main()
