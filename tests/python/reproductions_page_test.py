#!/usr/bin/python3
"""docs/reproductions.md: it shows every experiment as its file is now, and keeps what is not run anew.

  reproductions_page_test.py DCCVP
"""

import json
import subprocess
import unittest

from package import ROOT, FolderTest, main
from dccvp.experiments import reproduce_plan
from dccvp.experiments.reproduce import SHIPPED, accepted_text
from dccvp.plot import reproductions_page

PAGE = ROOT / "docs/reproductions.md"


def cells(line):
    return [cell.strip() for cell in line.replace("\\|", "\0").strip("| ").split(" | ")]


class ShippedPageTest(unittest.TestCase):
    def test_has_every_experiment_with_its_figures(self):
        """A figure that came, went or has another bound since: its experiment is to be run again."""
        sections = reproductions_page.sections_of(PAGE)
        for file in reproduce_plan.find(SHIPPED):
            experiment = reproduce_plan.read(file)
            with self.subTest(experiment.name):
                text = sections.get(experiment.title, "")
                self.assertTrue(text, "is not on the page")
                self.assertTrue(f"Source: {experiment.source}.\n" in text, "has another source there")
                rows = [cells(line) for line in text.splitlines() if line.startswith("| ")][1:]
                wanted = [[run.name, figure.name, accepted_text(figure)]
                          for run in experiment.runs for figure in run.figures]
                self.assertEqual([[cell.replace("\0", "|") for cell in row[:3]] for row in rows], wanted)

    def test_has_nothing_else(self):
        titles = {reproduce_plan.read(file).title for file in reproduce_plan.find(SHIPPED)}
        self.assertEqual(set(reproductions_page.sections_of(PAGE)) - titles, {reproductions_page.ORDERS})

    def test_counts_what_it_shows(self):
        text = PAGE.read_text(encoding="utf-8")
        verdicts = [v for section in reproductions_page.sections_of(PAGE).values()
                    if not section.startswith(f"## {reproductions_page.ORDERS}\n")
                    for v in reproductions_page.verdicts_of(section) if v != "-"]
        said = (f"Of {len(verdicts)} figures with a bound, {verdicts.count('inside')} are inside, "
                f"{verdicts.count('outside')} outside with a reason, 0 outside without one or missing.")
        self.assertTrue(said in text, said)


class OntoTest(FolderTest):
    def record(self, **changes):
        return {"experiment": "pdq_switching", "run": "five of 1 MB", "figure": "all done ms", "published": 42,
                "accepted": "42 +- 2 %", "ours": [40.0], "verdict": "OUTSIDE", "source": "", "reason": "", **changes}

    def onto(self, records):
        page = self.folder / "page.md"
        page.write_bytes(PAGE.read_bytes())
        (self.folder / "reproduction.json").write_text(json.dumps(records))
        subprocess.run([ROOT / "python/tool.py", "reproductions-page", "--onto", page, self.folder], check=True)
        return page

    def test_nothing_new_leaves_it_as_it_is(self):
        self.assertTrue(self.onto([]).read_text() == PAGE.read_text())

    def test_what_is_new_takes_the_place_of_what_was(self):
        page = self.onto([self.record(), self.record(figure="x", verdict="outside, explained", reason="so it is")])
        before, after = reproductions_page.sections_of(PAGE), reproductions_page.sections_of(page)
        self.assertEqual(list(before), list(after))
        title = "PDQ, one flow after another at one bottleneck"
        self.assertEqual([t for t in before if before[t] != after[t]], [title])
        self.assertIn("| five of 1 MB | all done ms | 42 +- 2 % | 40 | OUTSIDE |", after[title])
        self.assertIn("(1) so it is", after[title])
        self.assertEqual(reproductions_page.verdicts_of(after[title]), ["OUTSIDE", "outside"])
        self.assertTrue(" 1 outside without one or missing." in page.read_text())


if __name__ == "__main__":
    main()
