#!/usr/bin/python3
"""Tests that docs/scale.md has the speed of every compared scheme, and that each speed is at least the required one.

  scale_page_test.py DCCVP
"""

import unittest

from package import ROOT, main
from dccvp.experiments import reproduce_plan

LEAST = 2.0  # minimum speed of the 320-host tree on one thread, in million link traversals per second
OF_DCTCP = 0.4  # minimum speed as a fraction of DCTCP's speed


class SchemesTest(unittest.TestCase):
    def test_every_scheme_is_fast_enough(self):
        page = (ROOT / "docs/scale.md").read_text(encoding="utf-8")
        section = page.split("\n## Scheme by scheme\n", 1)[1].split("\n## ", 1)[0]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines()
                if line.startswith("|")][2:]
        table = reproduce_plan.read(ROOT / "configs/reproduce/survey_table.figures.yml")
        self.assertEqual([name for name, _, _ in rows], [row.name for row in table.comparison.rows])
        for name, speed, part in rows:
            self.assertGreaterEqual(float(speed), LEAST, name)
            self.assertGreaterEqual(float(part), OF_DCTCP, name)


if __name__ == "__main__":
    main()
