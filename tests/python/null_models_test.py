#!/usr/bin/python3
"""Tests the null models: the entries of configs/reproduce/nulls.yml belong to the experiments,
configs/reproduce/null_models.md has a row for each case, and a figure counts as distinguished if its bound holds as
published and fails with the null model.

  null_models_test.py DCCVP
"""

import unittest

from package import ROOT, FolderTest, main
from dccvp.experiments import null_models

PAGE = ROOT / "configs/reproduce/null_models.md"


class ShippedTest(unittest.TestCase):
    def test_the_page_has_a_row_for_each_case(self):
        rows = null_models.rows_of(PAGE)
        self.assertEqual(set(rows), null_models.known())
        self.assertEqual(PAGE.read_text(encoding="utf-8"), null_models.page_of(rows.values()))

    def test_rows_of_closed_forms_follow_from_the_experiments_bounds(self):
        rows = null_models.rows_of(PAGE)
        for record in null_models.closed_forms():
            self.assertEqual(rows[record["experiment"], record["null"]], null_models.row_of(record))

    def test_every_experiment_has_a_null(self):
        self.assertEqual(null_models.without_null(), [])

    def test_every_null_is_told_apart_by_some_figure_or_says_why_not(self):
        """For each null model some figure must distinguish the wrong scheme from the right one, or the page must
        explain why none does."""
        told = {key: int(line.split("|")[3].split("/")[0]) for key, line in null_models.rows_of(PAGE).items()}
        self.assertEqual({key for key, count in told.items() if count == 0}, set(null_models.silent()))


class ComparedTest(FolderTest):
    def setUp(self):
        super().setUp()
        (self.folder / "x.yaml").write_text("duration: 1ms\n")
        (self.folder / "x.figures.yml").write_text(
            "title: X\nruns:\n"
            "  - {run: base, figures: [{figure: drops, value: aggregate.drops, at_most: 0}]}\n"
            "  - run: scheme\n    figures:\n"
            "      - {figure: queue, value: aggregate.queue, at_most: 10}\n"
            "      - {figure: ratio, value: aggregate.queue, over: base, at_most: 0.5}\n"
            "      - {figure: drops, value: aggregate.drops, at_most: 0}\n"
            "      - {figure: outside, value: aggregate.queue, at_least: 50, reason: so it is}\n"
            "      - {figure: shown, value: aggregate.queue}\n")
        (self.folder / "nulls.yml").write_text("- {name: no control, set: [a.b=1], of: {x: ^scheme}}\n")

    def counts(self, null):
        (experiment, name, wrong), = null_models.cases([], self.folder / "nulls.yml")
        self.assertEqual((name, [run.name for run in wrong.runs]), ("no control", ["scheme"]))
        self.assertEqual(wrong.runs[0].overrides, ["a.b=1"])
        published = {"base": {"aggregate": {"drops": 0, "queue": 20}},
                     "scheme": {"aggregate": {"drops": 0, "queue": 8}}}
        return null_models.compared(wrong, published, {"scheme": null})

    def test_figures_that_fail_with_the_null_are_told_apart(self):
        counts, refused, missing = self.counts({"aggregate": {"drops": 0, "queue": 100}})
        self.assertEqual(counts, {"queue": [1, 1], "ratio": [1, 1], "drops": [0, 1]})
        self.assertEqual((refused, missing), ([], []))
        counts, _, _ = self.counts({"aggregate": {"drops": 0, "queue": 9}})
        self.assertEqual(counts, {"queue": [0, 1], "ratio": [0, 1], "drops": [0, 1]})

    def test_a_run_that_refuses_the_null_is_named(self):
        self.assertEqual(self.counts(None), ({}, ["scheme"], []))

    def test_a_figure_without_a_value_is_no_evidence(self):
        counts, _, missing = self.counts({"aggregate": {"drops": None, "queue": 100}})
        self.assertEqual(counts, {"queue": [1, 1], "ratio": [1, 1]})
        self.assertEqual(missing, [("scheme", "drops")])

    def test_a_figure_without_a_value_is_an_error_unless_expected(self):
        records = [{"experiment": "x", "null": "n", "missing": [("scheme", "drops")], "figures": {"queue": [1, 2]}}]
        self.assertEqual(null_models.complaints_of(records, {("x", "m"): ["drops"], ("x", "n"): ["queue"]}),
                         ["x, n: scheme: drops has no value"])
        self.assertEqual(null_models.complaints_of(records, {("x", "n"): ["drops"]}), [])

    def test_a_null_that_nothing_tells_apart_is_an_error_unless_expected(self):
        records = [{"experiment": "x", "null": "n", "missing": [], "figures": {"queue": [0, 2]}}]
        self.assertEqual(null_models.complaints_of(records, {}), ["x, n: no figure tells it apart"])
        self.assertEqual(null_models.complaints_of(records, {}, {("x", "n"): "so it is"}), [])

    def test_figures_that_are_expected_without_a_value_exist(self):
        named = {(experiment.name, null): {figure.name for run in wrong.runs for figure in run.figures}
                 for experiment, null, wrong in null_models.cases([])}
        for key, names in null_models.listed("without").items():
            self.assertLessEqual(set(names), named[key])

    def test_a_row_names_what_the_null_passes(self):
        row = null_models.row_of({"experiment": "x", "null": "no control", "refused": [],
                                  "figures": {"queue": [1, 2], "drops": [0, 2]}})
        self.assertEqual(row, "| `x` | no control | 1/4 | drops |")
        self.assertEqual(null_models.key_of(row), ("x", "no control"))

    def test_unknown_experiments_and_patterns_are_refused(self):
        for text in ("{y: ''}", "{x: nothing}"):
            (self.folder / "nulls.yml").write_text(f"- {{name: n, set: [], of: {text}}}\n")
            with self.assertRaises(Exception):
                null_models.cases([], self.folder / "nulls.yml")
        with self.assertRaisesRegex(Exception, "no null for"):
            null_models.cases(["nothing"])


class FormTest(FolderTest):
    def setUp(self):
        super().setUp()
        null_models.experiment_of.cache_clear()
        for name, of_queue in (("x", 10), ("y", 30)):
            (self.folder / f"{name}.yaml").write_text("duration: 1ms\n")
            (self.folder / f"{name}.figures.yml").write_text(
                "title: X\nruns:\n"
                "  - run: one\n    figures:\n"
                f"      - {{figure: queue, value: aggregate.queue, published: {of_queue}, within: 10%}}\n"
                "      - {figure: RTT, value: aggregate.rtt, at_least: 2, at_most: 8}\n"
                "      - {figure: outside, value: aggregate.queue, at_least: 50, reason: so it is}\n"
                "      - {figure: shown, value: aggregate.queue}\n"
                "  - run: other\n    figures:\n"
                "      - {figure: queue, value: aggregate.queue, published: 10.5, within: 10%}\n")

    def told(self, values):
        (self.folder / "nulls.yml").write_text(f"- {{name: n, says: so, values: {values}}}\n")
        record, = null_models.closed_forms(file=self.folder / "nulls.yml")
        return record["figures"]

    def test_a_value_outside_the_bounds_is_told_apart(self):
        self.assertEqual(self.told("{x: {one: {queue: 12, RTT: 3}}}"), {"queue": [1, 1], "RTT": [0, 1]})
        self.assertEqual(self.told("{x: {'': {queue: 11}}}"), {"queue": [0, 2]})

    def test_a_figure_that_lies_outside_as_published_does_not_count(self):
        self.assertEqual(self.told("{x: {one: {outside: 1}}}"), {})

    def test_another_experiments_figures(self):
        self.assertEqual(self.told("{x: {one: {queue: like y, RTT: like y}}}"), {"queue": [1, 1], "RTT": [0, 1]})
        self.assertEqual(self.told("{x: {one: {queue: 'like y: other'}}}"), {"queue": [0, 1]})

    def test_what_says_nothing_is_refused(self):
        for values in ("{z: {one: {queue: 1}}}", "{x: {none: {queue: 1}}}", "{x: {one: {shown: 1}}}",
                       "{x: {one: {queue: like z}}}", "{x: {one: {queue: 'like y: none'}}}"):
            with self.assertRaises(null_models.InputError):
                self.told(values)


class PlanTest(unittest.TestCase):
    def test_nulls_change_settings_and_not_figures(self):
        for experiment, _, wrong in null_models.cases([]):
            for run in wrong.runs:
                self.assertEqual(run.figures, next(one for one in experiment.runs if one.name == run.name).figures)

    def test_a_section_that_is_set_as_a_whole_replaces_what_the_run_sets_in_it(self):
        self.assertEqual(null_models.replaced(["a.b=1", "a.b.c=2", "a.bc=3", "d=4", "e.f=5"], ["a.b={x: 1}", "d=6"]),
                         ["a.bc=3", "d=4", "e.f=5", "a.b={x: 1}", "d=6"])


if __name__ == "__main__":
    main()
