#!/usr/bin/python3
"""Tests docs/sources.yaml: every line has the evidence that its state requires, and a line with missing evidence is
reported.

  sources_test.py ROOT
"""

import pathlib
import sys
import unittest

import yaml

ROOT = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "python"))

from dccvp.docs import sources_page  # noqa: E402

ROWS = {"A title": [("N=2", "share", "0.5 +- 5 %", False), ("N=3", "share", "-", False)],
        "Another title": [("N=2", "share", "0.5", True), ("N=2", "queue", "3", False)]}
TEST = "tests/docs/sources_test.py :: test_all_five_documents_are_there"


class Sources(unittest.TestCase):
    def faults(self, **line: object):
        return sources_page.faults_of({"at": "1", "says": "x", **line}, ROWS, ROOT)

    def test_evidence_is_there(self):
        self.assertEqual(sources_page.main(["--check"]), 0)

    def test_all_five_documents_are_there(self):
        documents = yaml.safe_load((ROOT / "docs/sources.yaml").read_text(encoding="utf-8"))["documents"]
        self.assertEqual(len(documents), 5)
        for document in documents:
            self.assertGreaterEqual(len(document["lines"]), 36, document["name"])

    def test_every_line_has_a_state_and_what_is_not_built_as_written_has_a_reason(self):
        """The page counts its lines by state. A line without a state is an error."""
        line: dict[str, object] = {"says": "documents", "where": ["README.md"], "test": TEST}
        self.assertEqual(self.faults(**line, state="built"), [])
        self.assertIn("state 'None'", self.faults(**line)[0])
        self.assertIn("state 'begun'", self.faults(**line, state="begun")[0])
        for state in ("differs", "missing", "outside"):
            self.assertEqual(self.faults(**line, state=state), ["'why' is empty"])
        sources = yaml.safe_load((ROOT / "docs/sources.yaml").read_text(encoding="utf-8"))
        count = [cell for text in sources_page.page(**sources).splitlines() if text.startswith("| all |")
                 for cell in text.split("|")[2:-1]]
        self.assertEqual(sum(map(int, count)), sum(len(document["lines"]) for document in sources["documents"]))

    def test_good_lines_pass(self):
        self.assertEqual(self.faults(says="documents", state="built", test=TEST,
                                     where=["README.md", "Makefile :: test:"]), [])
        self.assertEqual(self.faults(state="measured", figures=[["A title"], ["A title", "N=2", "share"]]), [])
        self.assertEqual(self.faults(state="missing", why="it would take y"), [])

    def test_gone_evidence_is_found(self):
        self.assertIn("no file gone.cpp", self.faults(state="differs", why="y", where=["gone.cpp"])[0])
        self.assertIn("does not say", self.faults(state="differs", why="y", where=["Makefile :: no such words"])[0])
        self.assertIn("no experiment", self.faults(state="measured", figures=[["A third"]])[0])
        self.assertIn("no figure", self.faults(state="measured", figures=[["A title", "N=9", "share"]])[0])

    def test_each_paragraph_of_the_patent_has_its_hardware(self):
        rtl = "rtl/pacer/rtl/dc_pacer.sv"
        test = "tests/cosim/pacer_engine/pacer_engine_test.cpp :: RtlDecidesAsTheModel"
        good: dict[str, object] = {"at": 7, "says": "x", "rtl": [rtl], "model": ["README.md"], "test": test}

        def faults(**changed: object):
            return [fault for fault in sources_page.faults_of_paragraphs([{**good, **changed}], ROOT)
                    if "missing" not in fault]
        self.assertEqual(faults(), [])
        self.assertIn("neither", faults(rtl=[])[0])
        self.assertEqual(faults(rtl=[], why="it is no part of an adapter"), [])
        self.assertIn("no file of rtl", faults(rtl=["README.md"])[0])
        self.assertIn("no file rtl/gone.sv", faults(rtl=["rtl/gone.sv"])[0])
        self.assertIn("'model' is empty", faults(model=[])[0])
        self.assertIn("has no test", faults(test=test + "Gone")[0])
        self.assertIn("stands twice", " ".join(sources_page.faults_of_paragraphs([good, good], ROOT)))
        missing = sources_page.faults_of_paragraphs([good], ROOT)
        self.assertEqual(len(missing), len(sources_page.PARAGRAPHS) - 1)
        self.assertIn("paragraph 53 is missing", missing)

    def test_built_needs_a_test_that_mentions_the_mechanism(self):
        built: dict[str, object] = {"says": "five documents", "state": "built", "where": ["README.md"]}
        self.assertEqual(self.faults(**built, test=TEST), [])
        self.assertEqual(self.faults(**built), ["'test' is empty"])
        self.assertIn("is no test", self.faults(**built, test="tests/docs/sources_test.py")[0])
        self.assertIn("is no test", self.faults(**built, test="README.md :: DCC-VP")[0])
        self.assertIn("no file", self.faults(**built, test="tests/gone.py :: test_x")[0])
        self.assertIn("has no test", self.faults(**built, test="tests/docs/sources_test.py :: test_nothing")[0])
        self.assertIn("has no word", self.faults(**dict(built, says="credits"), test=TEST)[0])
        self.assertEqual(self.faults(**dict(built, says="credits"), mechanism="documents", test=TEST), [])

    def test_the_words_of_a_test_are_its_own(self):
        text = "// Of sheep.\nTEST(Farm, Counts) {\n  wool();\n}\n\n// Of cows.\nTEST_F(Farm, Milks) {\n  milk();\n}\n"
        self.assertEqual(sources_page.text_of_test(text, "Milks"),
                         "// Of cows.\nTEST_F(Farm, Milks) {\n  milk();\n}\n")
        self.assertIn("sheep", sources_page.text_of_test(text, "Counts"))
        self.assertIsNone(sources_page.text_of_test(text, "Farm"))
        text = "class Farm(TestCase):\n    def test_a(self):\n        wool()\n\nclass Mill(TestCase):\n    pass\n"
        self.assertIn("wool", sources_page.text_of_test(text, "Farm"))
        self.assertNotIn("Mill", sources_page.text_of_test(text, "Farm"))

    def test_measured_is_refused_while_a_figure_outside_is_not_mentioned(self):
        self.assertIn("lies outside", self.faults(state="measured", figures=[["Another title"]])[0])
        self.assertIn("lies outside", self.faults(state="measured", figures=[["Another title", "N=2", "share"]])[0])
        self.assertEqual(self.faults(state="measured", figures=[["Another title", "N=2", "queue"]]), [])
        outside = {"state": "measured", "figures": [["Another title"]]}
        self.assertEqual(self.faults(**outside, why="outside: the share is too small"), [])
        self.assertIn("lies outside", self.faults(**outside, why="the share is too small")[0])
        self.assertIn("lies outside", self.faults(**outside, why="outside: delays are too long")[0])

    def test_schemes_are_checked(self):
        scheme = {"name": "S", "kind": "balancing", "signal": "ECN", "where": ["README.md"],
                  "figures": [["A title", "N=3", "share"]]}
        self.assertEqual(sources_page.faults_of_scheme(scheme, ROWS, ROOT), [])
        self.assertIn("no file", sources_page.faults_of_scheme({**scheme, "where": ["gone.h"]}, ROWS, ROOT)[0])
        self.assertIn("no figure", sources_page.faults_of_scheme(
            {**scheme, "figures": [["A title", "N=9", "share"]]}, ROWS, ROOT)[0])
        self.assertIn("'kind' is empty", sources_page.faults_of_scheme({"name": "S"}, ROWS, ROOT)[0])
        self.assertIn("unknown key", sources_page.faults_of_scheme({**scheme, "speed": "1"}, ROWS, ROOT)[0])

    def test_empty_lines_are_found(self):
        self.assertTrue(self.faults(state="built"))
        self.assertTrue(self.faults(state="differs", where=["README.md"]))
        self.assertTrue(self.faults(state="missing", why=""))
        self.assertTrue(self.faults(state="someday", why="x"))
        self.assertTrue(self.faults(state="missing", why="x", wher=["README.md"]))

    def test_figures_are_those_of_the_experiments(self):
        self.assertTrue(sources_page.chosen(["A title", "N=2", "share"], ROWS))
        self.assertTrue(sources_page.chosen(["A title"], ROWS))
        self.assertEqual(sources_page.evidence({"figures": [["A title", "N=2", "share"], ["A title"]]}), "*A title*")
        rows = sources_page.measured_rows(ROOT / "configs/reproduce")
        self.assertIn("QCN holds the queue at its set point", rows)
        self.assertTrue(all(len(row) == 4 for title in rows for row in rows[title]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
