#!/usr/bin/python3
"""The comparison of two builds, with fakes in their place.

  compare_builds_test.py
"""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import compare_builds
from comparison import Explanations, differences

from dccvp.common.ending import InputError, ended

# Stands for a build. What it computes is in its name: a figure it shifts where the algorithm is dcc, or
# one that only the old one has. Every -c of its command line is applied to the configuration.
FAKE = """#!/usr/bin/python3 -IS
import json, pathlib, sys
words = sys.argv[1:]
config = dict(line.strip().split(": ") for line in open(words[1]))
for key, value in (words[i + 1].split("=") for i, word in enumerate(words) if word == "-c"):
    config[key] = value
if config.get("fails"):
    sys.exit("dccvp: it broke")
out = pathlib.Path(words[words.index("--out") + 1])
out.mkdir(parents=True)
shift = SHIFT if config["algorithm"] == "dcc" else 0
(out / "config.effective.yaml").write_text(json.dumps(config))
(out / "flows.csv").write_text(f"id,fct_s,ideal_s\\n1,{1 + shift},{IDEAL}\\n")
metrics = {"wall_s": SHIFT, "goodput": 5 + shift, "slowdown": IDEAL, "hosts": [{"id": 0, **EXTRA}]}
(out / "metrics.json").write_text(json.dumps(metrics | MORE))
"""

CHANGES = """\
everywhere:
  reason: the ideal time has another definition
  columns: [ideal_s]
  metrics: [hosts.*.gone]
  renamed: {slowdown: reference_slowdown}
changes:
  clock:
    reason: the controller keeps its clock
    when: {algorithm: [dcc]}
    without: ["algorithm=none"]
configurations:
  dcc: {changes: [clock]}
"""


class CompareTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="dccvp-compare-test-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "configs/sweeps").mkdir(parents=True)
        self.configuration("plain", "algorithm: none\n")
        self.configuration("dcc", "algorithm: dcc\n")
        self.configuration("sweeps/none", "no: configuration\n")
        self.program("old", 0, 2, "{'gone': 1}", "{}")
        self.program("new", 1, 3, "{'more': 1}", "{'reference_slowdown': 2}")
        self.changes = self.folder / "changes.yml"
        self.changes.write_text(CHANGES)
        self.results = self.folder / "results.json"

    def configuration(self, name, text):
        (self.folder / f"configs/{name}.yaml").write_text(text)

    def program(self, name, shift, ideal, extra, more):
        file = self.folder / name
        file.write_text(FAKE.replace("SHIFT", str(shift)).replace("IDEAL", str(ideal))
                        .replace("EXTRA", extra).replace("MORE", more))
        file.chmod(0o755)

    def run_it(self, *more, old="old", new="new"):
        """Exit status and what is said."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = ended(lambda: compare_builds.main(
                ["run", str(self.folder / old), str(self.folder / new), "--configs",
                 str(self.folder / "configs"), "--changes", str(self.changes), "--results",
                 str(self.results), *more]))
        return status, said.getvalue()

    def verdicts(self):
        return {name: pair["verdict"]
                for name, pair in json.loads(self.results.read_text())["pairs"].items()}

    def test_same_and_explained(self):
        status, said = self.run_it()
        self.assertEqual(status, 0, said)
        self.assertEqual(self.verdicts(), {"dcc": "explained", "plain": "same"})
        self.assertIn("2 pairs: 1 same, 1 explained, 0 differs", said)

    def test_a_difference_that_nothing_explains_fails(self):
        self.changes.write_text(CHANGES.replace("dcc: {changes: [clock]}", "dcc: {}")
                                .replace("changes:\n  clock", "unused:\n  clock"))
        self.assertEqual(self.run_it()[0], 2)  # a key that is none
        self.configuration("more", "algorithm: dcc\n")
        self.changes.write_text(CHANGES)
        status, said = self.run_it()
        self.assertEqual(status, 1)
        self.assertEqual(self.verdicts()["more"], "differs")
        self.assertIn("more: differs\n  flows.csv\n  goodput: 5 -> 6\n  nothing explains it", said)

    def test_an_explanation_that_cannot_act_is_none(self):
        self.changes.write_text(CHANGES.replace("[dcc]", "[qcn, ibcc]"))
        status, said = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn("clock: algorithm is dcc, not qcn or ibcc", said)

    def test_an_explanation_that_leaves_a_difference_is_none(self):
        self.changes.write_text(CHANGES.replace("algorithm=none", "algorithm=dcc"))
        status, said = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn("without them still: goodput: 5 -> 6", said)

    def test_an_explanation_that_nothing_needs_fails(self):
        self.changes.write_text(CHANGES + "  plain: {changes: [clock]}\n")
        status, said = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn("plain: differs\n  is said to move by clock and does not", said)

    def test_a_change_may_be_a_patch_of_the_old_build(self):
        self.changes.write_text(CHANGES.replace('without: ["algorithm=none"]', "patch: clock.patch"))
        status, said = self.run_it()
        self.assertEqual(status, 2)
        self.assertIn("clock needs --patched clock=PROGRAM: OLD with clock.patch", said)
        self.program("patched", 1, 2, "{}", "{}")
        status, said = self.run_it("--patched", f"clock={self.folder / 'patched'}")
        self.assertEqual(status, 0, said)
        self.program("patched", 2, 2, "{}", "{}")
        self.results.unlink()
        self.assertEqual(self.run_it("--patched", f"clock={self.folder / 'patched'}")[0], 1)

    def test_a_configuration_may_need_more_than_its_changes(self):
        self.configuration("dcc", "algorithm: dcc\n")
        self.changes.write_text(CHANGES.replace("algorithm=none", "algorithm=dcc"))
        self.assertEqual(self.run_it()[0], 1)
        self.changes.write_text(self.changes.read_text().replace(
            "dcc: {changes: [clock]}", 'dcc: {changes: [clock], without: ["algorithm=none"]}'))
        self.assertEqual(self.run_it()[0], 0)

    def test_a_change_may_be_told_to_the_new_build_alone(self):
        self.changes.write_text(CHANGES.replace("without:", "told:"))
        self.assertEqual(self.run_it()[0], 0)
        self.program("old", 2, 2, "{}", "{}")  # the old one goes on as dcc, which shifts its figures
        status, said = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn("without them still: goodput: 7 -> 5", said)

    def test_a_figure_that_is_gone_or_of_another_type_differs(self):
        for more in ("{}", "{'reference_slowdown': True}", "{'reference_slowdown': [2]}"):
            self.program("new", 1, 3, "{}", more)
            self.assertEqual(self.run_it()[0], 1, more)
            self.assertEqual(self.verdicts()["plain"], "differs")

    def test_a_run_that_fails_is_a_difference(self):
        self.configuration("broken", "algorithm: none\nfails: yes\n")
        status, said = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn("exits 1: dccvp: it broke", said)

    def test_what_is_done_is_not_run_again_but_for_others_programs(self):
        self.run_it()
        text = self.results.read_text()
        self.assertEqual(self.run_it(), (0, "2 pairs: 1 same, 1 explained, 0 differs\n"))
        self.assertEqual(self.results.read_text(), text)
        self.assertIn("plain: same", self.run_it("--only", "plain")[1])
        self.program("new", 0, 2, "{}", "{'reference_slowdown': 2}")
        self.assertEqual(self.run_it()[0], 1)  # nothing moves any more, though something is said to
        self.assertEqual(self.verdicts(), {"dcc": "differs", "plain": "same"})

    def test_the_page_is_what_the_results_say(self):
        self.run_it("--names", "v1", "v2")
        page = self.folder / "page.md"
        words = ["page", "--changes", str(self.changes), "--results", str(self.results), "--page", str(page)]
        self.assertEqual(compare_builds.main(words), 0)
        text = page.read_text()
        self.assertIn("2 pairs: 1 the same, 1 explained, 0 not.", text)
        self.assertIn("| clock | the controller keeps its clock | `algorithm=none` |", text)
        self.assertIn("| dcc |  | explained | clock |", text)
        self.assertEqual(compare_builds.main([*words, "--check"]), 0)
        page.write_text(text.replace("1 explained", "0 explained"))
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(compare_builds.main([*words, "--check"]), 1)

    def test_bad_files_are_refused_with_their_place(self):
        for text, message in (
                ("changes: {}\n", "'configurations' is missing"),
                (CHANGES.replace("[clock]", "[clocks]"), "no change 'clocks'; did you mean 'clock'?"),
                (CHANGES.replace('    without: ["algorithm=none"]\n', ""), "how it is taken out"),
                (CHANGES.replace("dcc: {", "dccc: {"), "no configuration 'dccc'"),
                (CHANGES + "  plain: {sets: []}\n", "unknown key 'sets'")):
            self.changes.write_text(text)
            status, said = self.run_it()
            self.assertEqual(status, 2, text)
            self.assertIn(message, said)

    def test_the_shipped_file_is_one(self):
        Explanations(compare_builds.HERE / "comparison.yml")

    def test_damaged_metrics_are_refused(self):
        for name in ("a", "b"):
            (self.folder / name).mkdir()
            (self.folder / name / "flows.csv").write_text("id\n")
            (self.folder / name / "metrics.json").write_text("{")
        with self.assertRaises(InputError):
            differences(self.folder / "a", self.folder / "b", Explanations(self.changes))


if __name__ == "__main__":
    unittest.main()
