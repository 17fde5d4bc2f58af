#!/usr/bin/python3
"""Tests the tool weight-delay, which measures completion times of messages by class and size: the sizes, the
platforms that the tool runs, and one run.

  weight_delay_test.py DCCVP
"""

import os
import pathlib
import tempfile
import unittest

from package import DCCVP, main
from dccvp.experiments import weight_delay


class Sizes(unittest.TestCase):
    def test_a_limit_belongs_to_the_size_below(self):
        self.assertEqual([weight_delay.size_of(size) for size in (1, 3000, 3001, 30000, 200000, 300001)],
                         [0, 0, 1, 1, 2, 3])

    def test_only_finished_messages_count_by_class_and_size(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "flows.csv")
            path.write_text("dscp,bytes,fct_s\n46,1000,1e-6\n10,1000,2e-6\n46,1000,3e-6\n10,,\n46,200000,4e-6\n",
                            encoding="utf-8")
            found = {key: [round(time) for time in times] for key, times in weight_delay.times_us(path).items()}
        self.assertEqual(found, {(46, 0): [1, 3], (10, 0): [2], (46, 2): [4]})


class Platforms(unittest.TestCase):
    def test_law_and_weight_are_the_case_s_only_changes(self):
        for law, policy in (("proportional", "proportional"), ("patent", "dcqcn")):
            platform = weight_delay.platform_of("incast of 8, 200 KB", law, 4, 2)
            self.assertEqual(platform["nic"]["congestion_control"]["policy"], policy)
            self.assertEqual(platform["dscp"], {10: {"weight": 1}, 46: {"weight": 4}})
            self.assertEqual((platform["seed"], platform["topology"]["hosts"]), (2, 9))

    def test_a_law_may_let_every_flow_hold(self):
        for law, held in (("proportional", None), ("proportional, all hold", "none")):
            platform = weight_delay.platform_of("8 long flows, 1 KB", law, 4, 1)
            self.assertEqual(platform["nic"]["congestion_control"].get("hold_below"), held)


class Runs(unittest.TestCase):
    def test_a_heavy_class_overtakes_in_an_incast(self):
        os.environ["DCCVP"] = str(DCCVP)
        (equal,), (heavy,) = (weight_delay.table_rows("incast of 8, 200 KB", "proportional", weight, [1])
                              for weight in (1, 8))
        at = weight_delay.COLUMNS.index
        self.assertEqual((heavy[at("size")], heavy[at("messages")]), ("to 300 KB", "160"))
        self.assertLess(float(heavy[at("heavy p99")]), 0.7 * float(equal[at("heavy p99")]))
        self.assertLess(float(heavy[at("heavy p99")]), float(heavy[at("light p99")]))
        self.assertAlmostEqual(float(heavy[at("use %")]), 28, delta=2)

    def test_several_seeds_have_an_interval(self):
        os.environ["DCCVP"] = str(DCCVP)
        (row,) = weight_delay.table_rows("incast of 8, 200 KB", "proportional", 8, [1, 2])
        middle, half = row[weight_delay.COLUMNS.index("heavy p99")].split(" ± ")
        self.assertGreater(float(middle), 50)
        self.assertGreater(float(half), 0)


if __name__ == "__main__":
    main()
