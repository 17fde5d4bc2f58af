#!/usr/bin/python3
"""Tests trade-off pictures of sweeps: units, one mark for each pair of figures, and legible numbers.

  sweep_plots_test.py DCCVP
"""

import itertools
import random
import unittest.mock

from package import FolderTest, main
from dccvp.experiments import sweep_plots
import matplotlib.pyplot as plt

UNITS = {"queue": "B", "goodput": "Gb/s", "jain": ""}
BEST = {"queue": "min", "goodput": "max", "jain": "max"}


class ParetoTest(FolderTest):
    def drawn(self, lines, **plot):
        """The axes of a picture, taken before the picture is closed."""
        with unittest.mock.patch.object(plt, "close"):
            sweep_plots.draw_pareto({"x": "queue", "y": "goodput", **plot}, lines, BEST, UNITS, self.folder)
        self.addCleanup(plt.close, "all")
        return plt.gcf().axes[0]

    def test_units_and_which_way_is_better(self):
        axes = self.drawn([{"point": 1, "queue": 5e3, "goodput": 20.0, "jain": 0.5}], y="jain")
        self.assertEqual(axes.get_xlabel(), "queue, B (min is better)")
        self.assertEqual(axes.get_ylabel(), "jain (max is better)")

    def test_wide_intervals_do_not_own_the_axes(self):
        """With two seeds the confidence interval is 12.7 standard errors wide, and would extend below zero."""
        lines = [{"point": 1, "queue": 5e3, "goodput": 20.0, "interval": {"queue": (-9e4, 9e4), "goodput": (-50, 90)}},
                 {"point": 2, "queue": 8e3, "goodput": 22.0, "interval": {"queue": (7e3, 9e3), "goodput": None}}]
        axes = self.drawn(lines)
        for limits, least, most in ((axes.get_xlim(), 5e3, 8e3), (axes.get_ylim(), 20.0, 22.0)):
            self.assertGreater(limits[0], 0)
            self.assertLess(limits[0], least)
            self.assertGreater(limits[1], most)
            self.assertLess(limits[1], most + 1.5 * (most - least))

    def test_the_same_figures_are_one_point(self):
        lines = [{"point": i, "queue": q, "goodput": g, "c": c} for i, (q, g, c) in enumerate(
            ((5e3, 20.0, "dcc"), (5e3, 20.0, "dcc"), (8e3, 22.0, "dcc"), (5e3, 20.0, "dctcp"),
             (9e3, 21.0, "dctcp")), 1)]
        axes = self.drawn(lines, by="c")
        marks = {line.get_label(): line.get_xydata().tolist() for line in axes.lines}
        self.assertEqual(marks["c = dcc"], [[5e3, 20], [8e3, 22]])
        self.assertEqual(marks["c = dctcp"], [[5e3, 20], [9e3, 21]])
        self.assertEqual(marks["not beaten (points of table.csv)"], [[5e3, 20], [8e3, 22]])
        self.assertEqual([text.get_text() for text in axes.texts], ["1, 2, 4", "3"])

    def test_a_wide_legend_leaves_the_points_their_room(self):
        for groups in (["dcc", "dcqcn"], [f"{'[5, 5, 6], ' * 30}{i}" for i in range(4)],
                       [f"setting {i}" for i in range(30)]):
            with self.subTest(groups[0]):
                lines = [{"point": i, "queue": 1e3 * i, "goodput": 20.0 + i, "nic.congestion_control.algorithm": group}
                         for i, group in enumerate(groups, 1)]
                axes = self.drawn(lines, by="nic.congestion_control.algorithm")
                axes.figure.canvas.draw()
                whole, inside = axes.figure.bbox, axes.get_window_extent()
                legend = axes.get_legend().get_window_extent()
                self.assertGreater(inside.width, 0.75 * whole.width)
                self.assertGreater(inside.height, 0.35 * whole.height)
                self.assertTrue(0 <= legend.x0 < legend.x1 <= whole.width)
                self.assertTrue(inside.y1 - 1 < legend.y0 < legend.y1 < whole.height + 1, (inside, legend))

    def test_labels_lie_over_nothing(self):
        draw = random.Random(7)
        lines = [{"point": i, "queue": q, "goodput": 23 + q / 1e6 + 0.001 * draw.random()}
                 for i in range(1, 121) for q in [20e3 * 1.05 ** draw.randrange(60)]]
        axes = self.drawn(lines)
        axes.figure.canvas.draw()
        boxes = [text.get_window_extent() for text in axes.texts]
        front = next(line for line in axes.lines if "not beaten" in line.get_label())
        self.assertGreater(len(boxes), len(front.get_xdata()) // 2, "most have room")
        self.assertFalse([1 for a, b in itertools.combinations(boxes, 2) if a.overlaps(b)])
        inside = axes.get_window_extent()
        marks = [axes.transData.transform(place) for line in axes.lines for place in line.get_xydata()]
        for box in boxes:
            self.assertTrue(inside.x0 < box.x0 < box.x1 < inside.x1 and inside.y0 < box.y0 < box.y1 < inside.y1)
            self.assertFalse([mark for mark in marks if box.contains(*mark)])


if __name__ == "__main__":
    main()
