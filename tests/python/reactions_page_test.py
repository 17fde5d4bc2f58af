#!/usr/bin/python3
"""Tests the page that derives from a sweep's table which units react in time. The shipped page must have every unit
of the shipped sweep.

  reactions_page_test.py DCCVP
"""

import unittest

from package import ROOT, FolderTest, main
from dccvp.common.ending import InputError
from dccvp.experiments import reactions_page, sweep_plan

CORES, CLOCK, DISPATCH = (f"nic.congestion_control.{key}" for key in ("cores", "clock", "dispatch"))


def row(flows, reaction_us=1.0, rate="25Gbps", **changes):
    """A table row of a program on one core with this 99th percentile of its reaction times."""
    return {"status": "ok", "topology.link.rate": rate, "traffic.0.flows": str(flows), CORES: "1", CLOCK: "1GHz",
            "calls": "10", "reaction_p50": "1", "reaction_p99": str(reaction_us), "busy_ns": "1000", "jain": "1",
            "goodput": "20", "queue_mean": "1000", "merged": "0", "lost": "0", "instructions": "700", "block_lost": "0",
            "block_dropped": "0", "full": "0", **changes}


class KeepsUp(unittest.TestCase):
    def test_needs_speed_and_every_event(self):
        self.assertTrue(reactions_page.keeps_up(row(1, 3.9)))
        self.assertFalse(reactions_page.keeps_up(row(1, 4.0)))
        for name in ("merged", "lost", "block_lost", "block_dropped", "full"):
            self.assertFalse(reactions_page.keeps_up(row(1, **{name: "1"})), name)

    def test_ends_at_the_first_number_of_flows_that_is_too_great(self):
        rows = [row(1024), row(1), row(32), row(256, lost="3"),
                *(row(flows, rate="100Gbps") for flows in (1, 32, 256, 1024)), row(1, 5, rate="400Gbps")]
        self.assertEqual(reactions_page.limits(rows)[-1], "| 1 × 1GHz | 32 | 1024, all | none |")

    def test_names_and_share_error(self):
        self.assertEqual(reactions_page.name_of(row(1, **{DISPATCH: "10000"})), reactions_page.HOST)
        block = row(1, **{"nic.congestion_control": "{algorithm: dcc}", "calls": "0"})
        self.assertEqual(reactions_page.name_of(block), reactions_page.BLOCK)
        # A program that has lowered no rate does not keep up with the events.
        self.assertFalse(reactions_page.keeps_up(row(1, "")))
        # Shares of 1 and 3 have mean 2 and standard deviation 1, so Jain's index is 16 / 20.
        self.assertAlmostEqual(reactions_page.share_error(row(2, jain="0.8")), 0.5)


class Page(FolderTest):
    def test_without_a_table_it_names_the_sweep(self):
        with self.assertRaisesRegex(InputError, "dccvp sweep configs/sweeps/programs.yaml"):
            reactions_page.main([str(self.folder / "no.csv")])

    def test_the_shipped_page_has_the_shipped_sweep(self):
        plan = sweep_plan.read(ROOT / "configs/sweeps/programs.yaml")
        text = (ROOT / "configs/programs/reactions.md").read_text(encoding="utf-8")
        for settings in plan.points:
            values = {one.key: one.text for one in settings}
            self.assertIn(f"| {reactions_page.name_of(values)} |", text)
            self.assertIn(f"## {values['topology.link.rate']}", text)


if __name__ == "__main__":
    main()
