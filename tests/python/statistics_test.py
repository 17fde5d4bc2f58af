#!/usr/bin/python3
"""Tests that percentile and fairness equal those of the C++ program, with the same cases as the program's tests.

  statistics_test.py DCCVP
"""

import json
import math
import random
import unittest

from package import ROOT, main
from dccvp.common import scales, statistics


class StatisticsTest(unittest.TestCase):
    CASES = json.loads((ROOT / "tests/config/statistics_cases.json").read_text(encoding="utf-8"))

    def test_percentile(self):
        for case in self.CASES["percentile"]:
            self.assertEqual(statistics.percentile(case["values"], case["percent"]), case["is"], case)

    def test_fairness(self):
        for case in self.CASES["jain"]:
            found = statistics.jain(case["values"])
            if case["is"] is None:
                self.assertIsNone(found, case)
            else:
                self.assertAlmostEqual(found, case["is"], delta=1e-15, msg=case)

    def test_a_percentile_of_what_is_no_number_is_none(self):
        self.assertTrue(math.isnan(statistics.percentile([1, math.nan], 50)))

    def test_confidence_of_a_mean(self):
        self.assertIsNone(statistics.confidence([5.0]))
        self.assertEqual(statistics.confidence([2.0, 2.0, 2.0]), 0)
        # The values 1, 2, 3 have standard deviation 1, so half of the confidence interval is Student's t for two
        # degrees of freedom divided by the square root of three.
        self.assertAlmostEqual(statistics.confidence([1.0, 2.0, 3.0]), 4.303 / math.sqrt(3), places=6)
        # For forty values (0 and 2 alternating) Student's t for 39 degrees of freedom is 2.0227.
        self.assertAlmostEqual(statistics.confidence([0.0, 2.0] * 20) / (2.0227 * math.sqrt(40 / 39 / 40)), 1, places=3)

    def test_intervals_hold_the_mean_nineteen_times_of_twenty(self):
        draw = random.Random(5)
        held = 0
        for _ in range(2000):
            values = [draw.gauss(10, 3) for _ in range(4)]
            held += abs(statistics.mean(values) - 10) <= statistics.confidence(values)
        # Of 2000 intervals 1900 are expected to hold the mean. The bounds are four standard deviations away.
        self.assertTrue(1860 <= held <= 1940, held)

    def test_an_interval_is_by_bootstrap_where_there_are_enough_values(self):
        self.assertIsNone(statistics.interval([5.0]))
        low, high = statistics.interval([1.0, 2.0, 3.0])
        self.assertAlmostEqual(high - 2, statistics.confidence([1.0, 2.0, 3.0]))
        self.assertAlmostEqual(2 - low, high - 2)
        skewed = [1.0] * 9 + [30.0, 31.0]
        low, high = statistics.interval(skewed)
        self.assertGreaterEqual(low, 1, "a mean of values of 1 and more")
        self.assertLess(low, statistics.mean(skewed))
        self.assertGreater(high - statistics.mean(skewed), statistics.mean(skewed) - low)

    def test_a_scale_is_not_owned_by_an_outlier(self):
        plain = scales.Scale([1.0, 2.0, 3.0])
        self.assertEqual((plain.low, plain.high, plain.logarithmic, plain.note()), (1, 3, False, ""))
        self.assertEqual([plain.share(v) for v in (0, 1, 2, 3, 9)], [0, 0, 0.5, 1, 1])
        far = scales.Scale([10, 11, 12, 13, 14, 15, 16, 200])
        self.assertEqual((far.low, far.high, far.cut), (10, 16, True))
        self.assertIn("beyond", far.note())
        decades = scales.Scale([1, 10, 100])
        self.assertTrue(decades.logarithmic)
        self.assertAlmostEqual(decades.share(10), 0.5)
        self.assertEqual(scales.Scale([7.0, 7.0]).share(7), 0)
        self.assertFalse(scales.Scale([-5, 0, 100]).logarithmic)

    def test_panels_wrap(self):
        self.assertEqual([scales.columns_for(n) for n in (1, 2, 4, 7, 63)], [1, 2, 2, 3, 4])


if __name__ == "__main__":
    main()
