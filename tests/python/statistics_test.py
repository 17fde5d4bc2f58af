#!/usr/bin/python3
"""Percentile and fairness are the program's own: the cases of its tests hold here as well.

  statistics_test.py DCCVP
"""

import json
import math
import unittest

from package import ROOT, main
from dccvp.common import statistics


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


if __name__ == "__main__":
    main()
